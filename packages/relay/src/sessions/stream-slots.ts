import { limits, type ServerMessage } from "@paceline/protocol";
import type { Clock } from "@paceline/transport";
import type { SavedSlot } from "../saving/saved-room.js";
import type { Participant } from "./participant.js";

/**
 * Limit for one newcomer. States beyond TCP's first flight arrive no sooner than from the participants
 * themselves.
 */
const MAX_BYTES_AT_ONCE = 12_288;

interface StreamSlot {
  readonly state: Uint8Array;
  readonly keptAtMs: number;
}

/**
 * The slots of one participant, for newcomers: of each of its streams the newest announcement, with whole
 * states. The relay does not read them.
 */
export class StreamSlots {
  readonly #clock: Clock;
  readonly #slots = new Map<number, StreamSlot>();
  #bytes = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Sum over all slots. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Replaces the slot of a stream. Returns false, and keeps the old one, if all slots together are too long. */
  keep(stream: number, state: Uint8Array): boolean {
    const bytes = this.#bytes - (this.#slots.get(stream)?.state.length ?? 0) + state.length;
    if (bytes > limits.slotBytes) return false;
    this.#bytes = bytes;
    // A copy, since the message is a view of its whole packet.
    this.#slots.set(stream, { state: state.slice(), keptAtMs: this.#clock.nowMs() });
    return true;
  }

  save(): SavedSlot[] {
    const nowMs = this.#clock.nowMs();
    return Array.from(this.#slots, ([stream, { state, keptAtMs }]) => ({
      stream,
      ageMs: nowMs - keptAtMs,
      state,
    }));
  }

  restore(slots: readonly SavedSlot[]): void {
    const nowMs = this.#clock.nowMs();
    for (const { stream, ageMs, state } of slots)
      if (this.keep(stream, state)) this.#slots.set(stream, { state, keptAtMs: nowMs - ageMs });
  }

  /** Returns the messages for a newcomer. `number`: that of the participant whose slots these are. */
  *messages(number: number): Iterable<ServerMessage & { readonly type: "slot" }> {
    const nowMs = this.#clock.nowMs();
    for (const { state, keptAtMs } of this.#slots.values())
      yield { type: "slot", number, ageMs: Math.round(nowMs - keptAtMs), state };
  }
}

/** Sends a newcomer the slots of the others, the oldest participant first, up to a limit. */
export function sendSlots(newcomer: Participant): void {
  let bytes = 0;
  for (const other of newcomer.room.participants) {
    if (other === newcomer || !other.isIntroduced) continue;
    for (const message of other.slots.messages(other.number)) {
      bytes += message.state.length;
      if (bytes > MAX_BYTES_AT_ONCE) return;
      newcomer.sendControl(message);
    }
  }
}
