import { sequenceDistance, type Acks } from "@paceline/protocol";

/** Number of packets before the newest one that acks cover. */
export const ACK_BITS = 32;

/**
 * A set of circular 16-bit sequences. It knows the newest member and which of the 32 before it are members.
 */
export class SequenceWindow {
  #newest: number | undefined;
  /** Bit n set: `newest - 1 - n` is a member. */
  #bits = 0;

  /** The members in the form of a packet's acks. Undefined before the first one. */
  get acks(): Acks | undefined {
    return this.#newest === undefined ? undefined : { ack: this.#newest, ackBits: this.#bits >>> 0 };
  }

  /** Adds a sequence. `outdated`: it is too old to know if it came before. */
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

  /** Adds all members of another window. Calls `report` for each new one, oldest first. */
  merge({ ack, ackBits }: Acks, report: (sequence: number) => void): void {
    const ahead = this.#aheadOf(ack);
    // Acks that newer ones overtook contain nothing new.
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
    // The former newest becomes bit `ahead - 1`. In JavaScript a shift by 32 is a shift by 0.
    else this.#bits = (ahead === ACK_BITS ? 0 : this.#bits << ahead) | (1 << (ahead - 1));
  }
}

/**
 * Returns true if all acknowledged packets were sent. `next` is the sequence of the next packet, `sent` the
 * number of packets so far.
 */
export function areOfSent({ ack, ackBits }: Acks, next: number, sent: number): boolean {
  const behind = sequenceDistance(next, ack);
  const earlier = sent - behind;
  return behind >= 1 && earlier >= 0 && (earlier >= ACK_BITS || ackBits >>> earlier === 0);
}
