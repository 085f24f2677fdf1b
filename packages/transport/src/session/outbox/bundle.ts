import { PayloadKind } from "@paceline/protocol";
import type { ChannelPolicyOf } from "../../profiles/plan.js";
import type { Cancel, Scheduler } from "../../scheduler.js";

/**
 * Spacing of packets with a game's commands. A lone command leaves at once; a game that sends 1,200 a second makes 200
 * packets of them, which is within what a relay lets a session send.
 */
const MIN_COMMAND_PERIOD_MS = 5;
/** A bundle leaves early when it fills a packet. */
const FULL_BYTES = 1024;

/**
 * Spaces packets of one kind: the first leaves at once, and what is added within the period leaves with its end, in one
 * packet. So a lone message is never late, and many small ones share their headers.
 */
export class Bundle {
  readonly #scheduler: Scheduler;
  readonly #send: () => void;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #bytes = 0;
  #cancel: Cancel | undefined;

  /** @param send sends all that was added since the last call */
  constructor(scheduler: Scheduler, send: () => void) {
    this.#scheduler = scheduler;
    this.#send = send;
  }

  /** Whether something waits for the period's end. */
  get isWaiting(): boolean {
    return this.#cancel !== undefined;
  }

  /** So many bytes were added that may wait until `periodMs` have passed since the last packet. */
  add(bytes: number, periodMs: number): void {
    this.#bytes += bytes;
    const waitMs = this.#sentAtMs + periodMs - this.#scheduler.nowMs();
    if (waitMs <= 0 || this.#bytes >= FULL_BYTES) this.flush();
    else this.#cancel ??= this.#scheduler.after(waitMs, () => this.flush());
  }

  /** Sends at once what waits; nothing where nothing does. */
  release(): void {
    if (this.#cancel) this.flush();
  }

  flush(): void {
    this.stop();
    this.#bytes = 0;
    this.#sentAtMs = this.#scheduler.nowMs();
    this.#send();
  }

  /** Waits for nothing any more. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** Only a game's own commands wait for others: what a session says of itself takes them with it. */
export function commandPeriodMs(payloads: readonly Uint8Array[], channel?: ChannelPolicyOf): number {
  if (payloads[0]?.[0] !== PayloadKind.command) return 0;
  return Math.max(MIN_COMMAND_PERIOD_MS, channel?.("command").periodMs ?? 0);
}
