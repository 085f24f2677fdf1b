import type { ServerMessage } from "@paceline/protocol";
import type { Clock } from "@paceline/transport";
import type { Participant } from "./participant.js";

/**
 * Limit for one newcomer. States beyond TCP's first flight arrive no sooner than from the participants
 * themselves.
 */
const MAX_BYTES_AT_ONCE = 12_288;

/** The states that one participant retains for newcomers. The relay does not read them. */
export class RetainedStates {
  readonly #clock: Clock;
  #states: Uint8Array | undefined;
  #receivedAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Replaces the retained states; an empty array removes them. */
  keep(states: Uint8Array): void {
    this.#states = states.length > 0 ? states : undefined;
    this.#receivedAtMs = this.#clock.nowMs();
  }

  get bytes(): number {
    return this.#states?.length ?? 0;
  }

  /**
   * Returns the message for a newcomer, or undefined if nothing is retained. `number`: that of the
   * participant who retains the states.
   */
  message(number: number): ServerMessage | undefined {
    const ageMs = Math.round(this.#clock.nowMs() - this.#receivedAtMs);
    return this.#states && { type: "retained", number, ageMs, states: this.#states };
  }
}

/** Sends a newcomer the retained states of the others, the oldest participant first, up to a limit. */
export function sendRetained(newcomer: Participant): void {
  let bytes = 0;
  for (const other of newcomer.room.participants) {
    if (other === newcomer || !other.isIntroduced) continue;
    const message = other.retained.message(other.number);
    bytes += other.retained.bytes;
    if (bytes > MAX_BYTES_AT_ONCE) return;
    if (message) newcomer.sendControl(message);
  }
}
