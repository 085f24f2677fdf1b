import { writeControl, writeRetained, type RetainedPayload } from "@paceline/protocol";
import type { Clock, Session } from "@paceline/transport";

/** Minimum period after a spawn, a despawn or a jump, ms. */
const CHANGE_PERIOD_MS = 250;
/** Minimum period of moving entities, ms. A newcomer continues them to the present. */
const MOTION_PERIOD_MS = 1000;
/** Rate limits in bytes per second: states of many entities are sent less often. */
const BYTES_PER_SECOND = 256;
const CHANGE_BYTES_PER_SECOND = 2048;
const MAX_ENTITIES = 256;

/**
 * Leaves the states of own entities at the server for newcomers, who get them with their welcome, one round
 * trip before the owner could send them.
 */
export class RetainedStatesSender {
  readonly #clock: Clock;
  readonly #statesOf: (most: number) => RetainedPayload[];
  readonly #serverSession: () => Session | undefined;
  #hasChanged = false;
  #lastPayloads: RetainedPayload[] = [];
  #session: Session | undefined;
  /** Sequence of the message with the last retained states. */
  #sent = -1;
  #dueAtMs = 0;
  #changeDueAtMs = 0;

  /**
   * @param statesOf returns the states of `most` own entities at most
   * @param serverSession returns the session with the server, or undefined while it is not connected
   */
  constructor(
    clock: Clock,
    statesOf: (most: number) => RetainedPayload[],
    serverSession: () => Session | undefined,
  ) {
    this.#clock = clock;
    this.#statesOf = statesOf;
    this.#serverSession = serverSession;
  }

  /** Marks a spawn, a despawn or a jump. */
  changed(): void {
    this.#hasChanged = true;
  }

  /** Sends the states that are due. Called once per tick, when its states are final. */
  step(): void {
    const nowMs = this.#clock.nowMs();
    const session = this.#serverSession();
    if (!session || session.isClosed) return;
    if (session !== this.#session) this.#begin(session);
    if (nowMs < (this.#hasChanged ? this.#changeDueAtMs : this.#dueAtMs)) return;
    // On a blocked link, more states would only queue up.
    if (this.#sent >= 0 && !session.commands.isAcknowledged(this.#sent)) return;
    if (session.isBacklogged) return;
    const { states, payloads } = this.#collect();
    const isNews = !isSame(payloads, this.#lastPayloads);
    if (isNews) this.#sent = session.sendReliable(writeControl({ type: "retain", states }));
    this.#lastPayloads = payloads;
    this.#hasChanged = false;
    const restMs = (rate: number): number => (isNews ? (states.length / rate) * 1000 : 0);
    this.#dueAtMs = nowMs + Math.max(MOTION_PERIOD_MS, restMs(BYTES_PER_SECOND));
    this.#changeDueAtMs = nowMs + Math.max(CHANGE_PERIOD_MS, restMs(CHANGE_BYTES_PER_SECOND));
  }

  #begin(session: Session): void {
    this.#session = session;
    this.#lastPayloads = [];
    this.#sent = -1;
    this.#dueAtMs = this.#changeDueAtMs = 0;
  }

  /** Returns the states of as many entities as the server retains. */
  #collect(): { readonly states: Uint8Array; readonly payloads: RetainedPayload[] } {
    for (let most = MAX_ENTITIES; ; most = most >> 1) {
      const payloads = most > 0 ? this.#statesOf(most) : [];
      const states = writeRetained(payloads);
      if (states) return { states, payloads };
    }
  }
}

/** True if only the tick differs: a resting entity is sent once. */
function isSame(a: readonly RetainedPayload[], b: readonly RetainedPayload[]): boolean {
  return a.length === b.length && a.every((payload, index) => isSamePayload(payload, b[index]!));
}

function isSamePayload(a: RetainedPayload, b: RetainedPayload): boolean {
  if (a.stream !== b.stream) return false;
  if (a.kind === "stream" || b.kind === "stream") return a.kind === b.kind;
  return a.states.length === b.states.length && a.states.every((byte, at) => at < 4 || byte === b.states[at]);
}
