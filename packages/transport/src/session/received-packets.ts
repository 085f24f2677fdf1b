import { sequenceDistance } from "@paceline/protocol";

/**
 * Number of remembered packets. A link may repeat an event for some seconds, and it then arrives behind this
 * many states at the highest rates. A power of two.
 */
const REMEMBERED = 1024;
const WORDS = REMEMBERED / 32;

/**
 * Remembers which of the last 1024 sequences have arrived, so that a late packet is not taken for a repeated
 * one.
 */
export class ReceivedPackets {
  /** One bit for each sequence, at the position of the sequence modulo 1024. */
  readonly #received = new Uint32Array(WORDS);
  #newest: number | undefined;

  /** Returns the sequence with these low 8 bits that is nearest to the newest one. */
  nearest(low: number): number {
    const newest = this.#newest ?? low;
    return (newest + (((low - newest + 128) & 255) - 128)) & 0xffff;
  }

  /** Adds a sequence. `outdated`: it is too old to know if it came before. */
  add(sequence: number): "new" | "duplicate" | "outdated" {
    const ahead = this.#newest === undefined ? REMEMBERED : sequenceDistance(sequence, this.#newest);
    if (ahead <= -REMEMBERED) return "outdated";
    if (ahead >= REMEMBERED) this.#received.fill(0);
    else
      for (let back = 0; back < ahead; back++)
        this.#received[wordOf(sequence - back)]! &= ~bitOf(sequence - back);
    if (ahead > 0) this.#newest = sequence;
    const [word, bit] = [wordOf(sequence), bitOf(sequence)];
    if ((this.#received[word]! & bit) !== 0) return "duplicate";
    this.#received[word]! |= bit;
    return "new";
  }
}

function wordOf(sequence: number): number {
  return (sequence >>> 5) & (WORDS - 1);
}

function bitOf(sequence: number): number {
  return 1 << (sequence & 31);
}
