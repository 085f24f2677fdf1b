import { sequenceDistance, type Acks } from "@paceline/protocol";

/**
 * Number of remembered packets. A link may repeat an event for some seconds, and it then arrives after this
 * many states at the highest rates. A power of two.
 */
const REMEMBERED = 1024;
const WORDS = REMEMBERED / 32;

/**
 * Remembers which of the last 1024 sequences have arrived, so that a late packet is not taken for a repeated
 * one. Its acks name the newest ones.
 */
export class ReceivedPackets {
  /** One bit for each sequence modulo 1024. As in acks, the newest of a word is its lowest bit. */
  readonly #received = new Uint32Array(WORDS);
  #newest: number | undefined;

  /** The newest sequence, and which of the 32 before it have arrived. Undefined before the first one. */
  get acks(): Acks | undefined {
    const newest = this.#newest;
    if (newest === undefined) return undefined;
    const shift = -newest & 31;
    const near = this.#received[wordOf(newest - 1)]! >>> shift;
    // In JavaScript a shift by 32 is a shift by 0.
    const far = shift === 0 ? 0 : this.#received[wordOf(newest - 33)]! << (32 - shift);
    return { ack: newest, ackBits: (near | far) >>> 0 };
  }

  /** Returns the sequence with these low 8 bits that is nearest to the newest one. */
  nearest(low: number): number {
    const newest = this.#newest ?? low;
    return (newest + (((low - newest + 128) & 255) - 128)) & 0xffff;
  }

  /** Adds a sequence. `outdated`: it is too old to know if it arrived before. */
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
  return 1 << (~sequence & 31);
}
