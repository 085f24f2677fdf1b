import type { ServerMessage } from "@paceline/protocol";
import type { Clock } from "@paceline/transport";
import type { Participant } from "./participant.js";

/** More than the first flight of TCP carries would come no sooner than from the participants themselves. */
const MAX_BYTES_AT_ONCE = 12_288;

/** The states that one participant retains for newcomers. The relay does not read them. */
export class RetainedStates {
  readonly #clock: Clock;
  #states: Uint8Array | undefined;
  #cameAtMs = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Takes the place of what was kept before; nothing at all ends it. */
  keep(states: Uint8Array): void {
    this.#states = states.length > 0 ? states : undefined;
    this.#cameAtMs = this.#clock.nowMs();
  }

  get bytes(): number {
    return this.#states?.length ?? 0;
  }

  /** For a newcomer; undefined where nothing is kept. `number`: whose they are. */
  message(number: number): ServerMessage | undefined {
    const ageMs = Math.round(this.#clock.nowMs() - this.#cameAtMs);
    return this.#states && { type: "retained", number, ageMs, states: this.#states };
  }
}

/** Gives a newcomer what the others have left, beginning with those who came first, as far as it is not too much. */
export function tellRetained(newcomer: Participant): void {
  let bytes = 0;
  for (const other of newcomer.room.participants) {
    if (other === newcomer || !other.isIntroduced) continue;
    const message = other.retained.message(other.number);
    bytes += other.retained.bytes;
    if (bytes > MAX_BYTES_AT_ONCE) return;
    if (message) newcomer.tell(message);
  }
}
