import { limits, nextSequence, sequenceDistance, type DropReason } from "@paceline/protocol";

/** Puts reliable messages into their order and drops those that came before. */
export class ReliableInbox {
  readonly #early = new Map<number, Uint8Array>();
  #expected = 0;

  /** Id of the message that is expected next: what a receipt says. */
  get expected(): number {
    return this.#expected;
  }

  /** Takes a message; hands over, in order, all that can be delivered now. A reason where it was dropped. */
  receive(id: number, payload: Uint8Array, deliver: (payload: Uint8Array) => void): DropReason | undefined {
    const ahead = sequenceDistance(id, this.#expected);
    if (ahead < 0 || this.#early.has(id)) return "duplicate";
    if (ahead >= limits.outOfOrderMessages) return "gap-too-large";
    this.#early.set(id, payload);
    for (let next = this.#early.get(this.#expected); next; next = this.#early.get(this.#expected)) {
      this.#early.delete(this.#expected);
      this.#expected = nextSequence(this.#expected);
      deliver(next);
    }
    return undefined;
  }
}
