import { SEQUENCE_MODULUS } from "@paceline/protocol";

/** Share of a sender's numbered packets that did not arrive, over the last windows (as RFC 3550, section 6.4.1). */
export class LossMeter {
  #highest: number | undefined;
  #expected = 0;
  #received = 0;
  #ratio = 0;

  /** 0 to 1; smoothed over about four windows. */
  get ratio(): number {
    return this.#ratio;
  }

  /** Call once for every packet that is not a duplicate. */
  receive(sequence: number): void {
    this.#received += 1;
    if (this.#highest === undefined) {
      this.#highest = sequence;
      this.#expected += 1;
      return;
    }
    const ahead = (sequence - this.#highest) & (SEQUENCE_MODULUS - 1);
    if (ahead >= SEQUENCE_MODULUS / 2) return;
    this.#expected += ahead;
    this.#highest = sequence;
  }

  /** Ends a window of measurement; with fewer than ten packets the window goes on. */
  endWindow(): void {
    if (this.#expected < 10) return;
    const lost = Math.max(0, this.#expected - this.#received) / this.#expected;
    this.#ratio += (lost - this.#ratio) / 4;
    this.#expected = 0;
    this.#received = 0;
  }
}
