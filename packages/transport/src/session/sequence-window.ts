import { sequenceDistance, type Acks } from "@paceline/protocol";

/** Number of packets before the newest one that acks cover. */
export const ACK_BITS = 32;

/**
 * The packets that the other side has acknowledged: the newest one, and which of the 32 before it. Sequences
 * have 16 bits and wrap.
 */
export class SequenceWindow {
  #newest: number | undefined;
  /** Bit n set: `newest - 1 - n` is acknowledged. */
  #bits = 0;

  /** Takes acks. Calls `report` for each packet that earlier ones did not acknowledge, oldest first. */
  merge({ ack, ackBits }: Acks, report: (sequence: number) => void): void {
    const ahead = this.#newest === undefined ? Infinity : sequenceDistance(ack, this.#newest);
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
