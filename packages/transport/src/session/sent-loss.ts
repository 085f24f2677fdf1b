import { sequenceDistance } from "@paceline/protocol";
import { MAX_GAP, type LossCount } from "./loss-count.js";
import { ACK_BITS } from "./sequence-window.js";

/** Packets between one and the newest ack after which its fate is decided: it arrived, or it is lost. */
const MAX_REORDER = 24;

/**
 * Finds from the other side's acks which of the packets that nobody repeats were lost. A packet that no ack
 * covers counts neither way, because the acks were lost.
 */
export class SentLoss {
  readonly #count: LossCount;
  /** Packets whose fate is not decided, oldest first. No map: one that fills and empties makes tables all the time. */
  readonly #open: { readonly sequence: number; hasArrived: boolean }[] = [];
  /** Number of open packets that some acks covered: if they have not arrived, they are missing. */
  #covered = 0;

  constructor(count: LossCount) {
    this.#count = count;
  }

  sent(sequence: number): void {
    this.#open.push({ sequence, hasArrived: false });
    if (this.#open.length > MAX_GAP) this.#remove(1);
  }

  acknowledged(sequence: number): void {
    const open = this.#open;
    let [at, end] = [0, open.length];
    while (at < end) {
      const middle = (at + end) >> 1;
      if (sequenceDistance(open[middle]!.sequence, sequence) < 0) at = middle + 1;
      else end = middle;
    }
    if (open[at]?.sequence === sequence) open[at]!.hasArrived = true;
  }

  /**
   * Takes note that acks for this packet and those shortly before it have arrived. The caller has reported
   * the acknowledged packets before.
   */
  acksReceived(ack: number): void {
    const open = this.#open;
    const { window } = this.#count;
    let decided = 0;
    // Arrivals and losses are decided at the same time, otherwise the earlier news would weigh more.
    for (; decided < open.length; decided++) {
      const { sequence, hasArrived } = open[decided]!;
      const behind = sequenceDistance(ack, sequence);
      if (behind <= MAX_REORDER) break;
      if (hasArrived) window.arrived += 1;
      else if (decided < this.#covered || behind <= ACK_BITS) window.lost += 1;
    }
    this.#remove(decided);
    // These acks cover all older packets that are left.
    while (this.#covered < open.length && sequenceDistance(ack, open[this.#covered]!.sequence) >= 0)
      this.#covered += 1;
  }

  /** Forgets the open packets, because another link carries the next ones. */
  restart(): void {
    this.#remove(this.#open.length);
  }

  /** Removes the oldest packets. */
  #remove(count: number): void {
    if (count === 1) this.#open.shift();
    else if (count > 1) this.#open.splice(0, count);
    this.#covered = Math.max(0, this.#covered - count);
  }
}
