import { sequenceDistance, type Acks } from "@paceline/protocol";

/** Acks speak of the newest packet received and of this many before it. */
export const ACK_BITS = 32;

/** Tells which packets the other side has newly acknowledged: each is reported once, oldest first. */
export class AcknowledgedSequences {
  #newest: number | undefined;
  #bits = 0;

  /**
   * Takes acks that came in; `next` is the sequence of the packet that will be sent next. False, and nothing is
   * reported, for acks of what was never sent. `sent`: how many packets were sent so far.
   */
  take(acks: Acks, next: number, sent: number, report: (sequence: number) => void): boolean {
    const behind = sequenceDistance(next, acks.ack);
    if (behind < 1 || behind > sent) return false;
    const earlier = sent - behind;
    if (earlier < ACK_BITS && acks.ackBits >>> earlier !== 0) return false;
    const ahead = this.#newest === undefined ? ACK_BITS + 1 : sequenceDistance(acks.ack, this.#newest);
    // Overtaken by acks that are newer: these say more, or the same.
    if (ahead < 0) return true;
    const before = this.#shifted(ahead);
    const news = acks.ackBits & ~before;
    this.#newest = acks.ack;
    this.#bits = acks.ackBits | before;
    for (let bit = Math.min(ACK_BITS, earlier) - 1; bit >= 0; bit--) {
      if (((news >>> bit) & 1) === 1) report((acks.ack - 1 - bit) & 0xffff);
    }
    if (ahead > 0) report(acks.ack);
    return true;
  }

  /** What was known, as bits before a newest sequence that is `ahead` of the present one. */
  #shifted(ahead: number): number {
    if (ahead === 0) return this.#bits;
    if (ahead > ACK_BITS) return 0;
    // A shift by 32 would be one by 0.
    return (ahead === ACK_BITS ? 0 : this.#bits << ahead) | (1 << (ahead - 1));
  }
}
