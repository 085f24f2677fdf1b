import { sequenceDistance, type Acks } from "@paceline/protocol";

/** Acks speak of the newest packet and of this many before it. */
export const ACK_BITS = 32;

/** A set of circular 16-bit sequences that knows the newest member and which of the 32 before it belong to it. */
export class SequenceWindow {
  #newest: number | undefined;
  /** Bit n set: `newest - 1 - n` is a member. */
  #bits = 0;

  /** The members, as a packet says them; undefined before the first one. */
  get acks(): Acks | undefined {
    return this.#newest === undefined ? undefined : { ack: this.#newest, ackBits: this.#bits >>> 0 };
  }

  /** Adds a sequence. `outdated`: it is older than the window, so nobody knows whether it came before. */
  add(sequence: number): "new" | "duplicate" | "outdated" {
    const ahead = this.#aheadOf(sequence);
    if (ahead > 0) {
      this.#advance(sequence, ahead);
      return "new";
    }
    if (ahead === 0) return "duplicate";
    if (ahead < -ACK_BITS) return "outdated";
    const bit = 1 << (-ahead - 1);
    if ((this.#bits & bit) !== 0) return "duplicate";
    this.#bits |= bit;
    return "new";
  }

  /** Adds all members of another window. `report` is called for each that is new here, the oldest first. */
  merge({ ack, ackBits }: Acks, report: (sequence: number) => void): void {
    const ahead = this.#aheadOf(ack);
    // Acks that newer ones overtook say nothing more.
    if (ahead < 0) return;
    if (ahead > 0) this.#advance(ack, ahead);
    let news = ackBits & ~this.#bits;
    this.#bits |= news;
    while (news !== 0) {
      const bit = 31 - Math.clz32(news);
      news &= ~(1 << bit);
      report((ack - 1 - bit) & 0xffff);
    }
    if (ahead > 0) report(ack);
  }

  #aheadOf(sequence: number): number {
    return this.#newest === undefined ? Infinity : sequenceDistance(sequence, this.#newest);
  }

  #advance(sequence: number, ahead: number): void {
    this.#newest = sequence;
    if (ahead > ACK_BITS) this.#bits = 0;
    // The newest of before becomes bit `ahead - 1`. A shift by 32 would be one by 0.
    else this.#bits = (ahead === ACK_BITS ? 0 : this.#bits << ahead) | (1 << (ahead - 1));
  }
}

/**
 * Whether acks name packets that were sent, and no others. `next` is the sequence of the next packet, `sent` the number of
 * packets so far.
 */
export function areOfSent({ ack, ackBits }: Acks, next: number, sent: number): boolean {
  const behind = sequenceDistance(next, ack);
  const earlier = sent - behind;
  return behind >= 1 && earlier >= 0 && (earlier >= ACK_BITS || ackBits >>> earlier === 0);
}
