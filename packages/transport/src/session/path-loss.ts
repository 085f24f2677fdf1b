import { SEQUENCE_MODULUS } from "@paceline/protocol";
import { MAX_GAP, type LossCount, type LossWindow } from "./loss-count.js";

/**
 * Finds lost packets on an unreliable link from the gaps in their numbers. Packets that are repeated until
 * they arrive have numbers of the same sequence, and count neither as arrived nor as lost.
 */
export class PathLoss {
  readonly #count: LossCount;
  /** Missing packets with the window in which they were missed, oldest first. */
  #missing: Map<number, LossWindow> | undefined;
  #highest: number | undefined;

  constructor(count: LossCount) {
    this.#count = count;
  }

  /**
   * Takes a packet. Call it once for every packet that is no duplicate. `mayBeLost`: nobody repeats this one.
   * It is undefined if no link in use loses packets: then a gap before it does not count.
   */
  receive(sequence: number, mayBeLost: boolean | undefined): void {
    const ahead = this.#highest === undefined ? 1 : (sequence - this.#highest) & (SEQUENCE_MODULUS - 1);
    const isOlder = ahead >= SEQUENCE_MODULUS / 2;
    if (ahead > 0 && !isOlder) this.#highest = sequence;
    if (mayBeLost === undefined) return;
    const { window } = this.#count;
    if (mayBeLost) window.arrived += 1;
    if (isOlder) return this.#arrivedLate(sequence);
    if (ahead <= MAX_GAP) for (let back = ahead - 1; back > 0; back--) this.#miss(sequence - back, window);
  }

  #miss(sequence: number, window: LossWindow): void {
    const missing = (this.#missing ??= new Map());
    missing.set(sequence & (SEQUENCE_MODULUS - 1), window);
    window.lost += 1;
    if (missing.size <= MAX_GAP) return;
    const [oldest] = missing.keys();
    missing.delete(oldest);
  }

  #arrivedLate(sequence: number): void {
    const window = this.#missing?.get(sequence);
    if (!window) return;
    window.lost -= 1;
    this.#missing!.delete(sequence);
  }
}
