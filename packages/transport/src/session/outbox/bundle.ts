import { PayloadKind } from "@paceline/protocol";
import type { ChannelPolicyOf } from "../../profiles/plan.js";
import type { Cancel, Scheduler } from "../../scheduler.js";

/**
 * Least period of packets with a game's commands, ms. A lone command leaves at once. A game that sends 1,200
 * a second makes 200 packets of them, which a relay allows a session.
 */
const MIN_COMMAND_PERIOD_MS = 5;
/** A bundle leaves early when it fills a packet. */
const FULL_BYTES = 1024;

/**
 * Spaces packets of one kind. The first leaves at once. Messages added within the period leave together at
 * its end. A lone message is never late, and many small ones share their headers.
 */
export class Bundle {
  readonly #scheduler: Scheduler;
  readonly #send: () => void;
  #sentAtMs = -Infinity;
  #bytes = 0;
  #cancel: Cancel | undefined;

  /** @param send sends all that was added since the last call */
  constructor(scheduler: Scheduler, send: () => void) {
    this.#scheduler = scheduler;
    this.#send = send;
  }

  get isWaiting(): boolean {
    return this.#cancel !== undefined;
  }

  /** Takes note of added bytes. They leave once `periodMs` have passed since the last packet. */
  add(bytes: number, periodMs: number): void {
    this.#bytes += bytes;
    const waitMs = this.#sentAtMs + periodMs - this.#scheduler.nowMs();
    if (waitMs <= 0 || this.#bytes >= FULL_BYTES) this.flush();
    else this.#cancel ??= this.#scheduler.after(waitMs, () => this.flush());
  }

  /** Sends waiting messages at once. */
  release(): void {
    if (this.#cancel) this.flush();
  }

  flush(): void {
    this.stop();
    this.#bytes = 0;
    this.#sentAtMs = this.#scheduler.nowMs();
    this.#send();
  }

  /** Cancels the wait. */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/**
 * Returns the period for these commands, ms. Only a game's own commands wait for others. Those of the session
 * leave at once, and take waiting ones with them.
 */
export function commandPeriodMs(payloads: readonly Uint8Array[], channel?: ChannelPolicyOf): number {
  if (payloads[0]?.[0] !== PayloadKind.command) return 0;
  return Math.max(MIN_COMMAND_PERIOD_MS, channel?.("command").periodMs ?? 0);
}
