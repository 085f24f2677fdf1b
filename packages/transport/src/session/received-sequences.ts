import { sequenceDistance, type Acks } from "@paceline/protocol";

/** Which of the newest 33 sequences have arrived: tells repeated packets from new ones and makes the acks. */
export class ReceivedSequences {
  #newest: number | undefined;
  #bits = 0;

  /** What to tell the sender; undefined before the first packet. */
  get acks(): Acks | undefined {
    return this.#newest === undefined ? undefined : { ack: this.#newest, ackBits: this.#bits >>> 0 };
  }

  /** `outdated`: too old to know whether it came before. */
  receive(sequence: number): "new" | "duplicate" | "outdated" {
    if (this.#newest === undefined) {
      this.#newest = sequence;
      return "new";
    }
    const ahead = sequenceDistance(sequence, this.#newest);
    if (ahead === 0) return "duplicate";
    if (ahead > 0) {
      // The old newest one becomes bit `ahead - 1`; a shift of 32 would be a shift of 0.
      this.#bits = ahead > 32 ? 0 : (ahead === 32 ? 0 : this.#bits << ahead) | (1 << (ahead - 1));
      this.#newest = sequence;
      return "new";
    }
    if (ahead < -32) return "outdated";
    const bit = 1 << (-ahead - 1);
    if ((this.#bits & bit) !== 0) return "duplicate";
    this.#bits |= bit;
    return "new";
  }
}
