import { ConfigError } from "@paceline/protocol";

/** Repeatable random numbers: the same seed gives the same values on every machine. */
export interface Random {
  /** Returns a number in [0, 1), uniform, in steps of 2^-32. */
  next(): number;
  /** Returns a uniform whole number from `min` to `max`, both included. */
  int(min: number, max: number): number;
  /** Returns a normally distributed number, in the unit of `mean` and `sd`. */
  normal(mean: number, sd: number): number;
  /** Returns true with probability `p` (0 to 1). Draws one value for every `p`. */
  bool(p: number): boolean;
  /** Returns `count` uniform bytes, freshly allocated. */
  bytes(count: number): Uint8Array;
  /** Returns a generator of its own, seeded from this one. Its use does not change this stream. */
  fork(): Random;
}

const UINT32 = 0x1_0000_0000;
const UINT64_MASK = 0xffff_ffff_ffff_ffffn;

/**
 * A {@link Random} from a seed (any safe integer). The generator is xoshiro128** 1.1 (Blackman and Vigna,
 * "Scrambled Linear Pseudorandom Number Generators", ACM TOMS 47(4), 2021). Its period is 2^128 - 1, it has
 * four 32-bit words of state, and it is exact in the integer arithmetic of JavaScript. Not for secrets.
 */
export function seededRandom(seed: number): Random {
  if (!Number.isSafeInteger(seed)) throw new ConfigError("seed", seed, "a safe integer");
  return new Xoshiro128(splitMix64(BigInt.asUintN(64, BigInt(seed))));
}

/**
 * The generator over a given state of four 32-bit words, which are not all zero.
 *
 * @internal
 */
export class Xoshiro128 implements Random {
  readonly #state: Uint32Array;

  constructor(state: Uint32Array) {
    this.#state = state;
  }

  /** Returns the next 32 bits of the stream. */
  uint32(): number {
    const [s0 = 0, s1 = 0, s2 = 0, s3 = 0] = this.#state;
    const result = Math.imul(rotateLeft(Math.imul(s1, 5), 7), 9) >>> 0;
    const t2 = s2 ^ s0;
    const t3 = s3 ^ s1;
    // A Uint32Array stores values modulo 2^32.
    this.#state[0] = s0 ^ t3;
    this.#state[1] = s1 ^ t2;
    this.#state[2] = t2 ^ (s1 << 9);
    this.#state[3] = rotateLeft(t3, 11);
    return result;
  }

  next(): number {
    return this.uint32() / UINT32;
  }

  int(min: number, max: number): number {
    const span = max - min + 1;
    if (!Number.isSafeInteger(min) || !Number.isSafeInteger(max) || span < 1 || span > UINT32) {
      throw new ConfigError("min, max", `${min}, ${max}`, "whole numbers, min <= max, at most 2^32 values");
    }
    // Values beyond the last whole multiple of the span would favour small results.
    const limit = UINT32 - (UINT32 % span);
    let drawn = this.uint32();
    while (drawn >= limit) drawn = this.uint32();
    return min + (drawn % span);
  }

  normal(mean: number, sd: number): number {
    // Box and Muller (1958); 1 - next() is never 0, whose logarithm would be infinite.
    const radius = Math.sqrt(-2 * Math.log(1 - this.next()));
    return mean + sd * radius * Math.cos(2 * Math.PI * this.next());
  }

  bool(p: number): boolean {
    if (!(p >= 0 && p <= 1)) throw new ConfigError("p", p, "a probability, 0 to 1");
    return this.next() < p;
  }

  bytes(count: number): Uint8Array {
    if (!Number.isSafeInteger(count) || count < 0) {
      throw new ConfigError("count", count, "a whole number of bytes, 0 or more");
    }
    // The high bits, because the low ones of a multiplicative scrambler are its weakest.
    return Uint8Array.from({ length: count }, () => this.uint32() >>> 24);
  }

  fork(): Random {
    const high = BigInt(this.uint32());
    return new Xoshiro128(splitMix64((high << 32n) | BigInt(this.uint32())));
  }
}

function rotateLeft(word: number, bits: number): number {
  return (word << bits) | (word >>> (32 - bits));
}

/**
 * Returns four words of state from 64 bits by SplitMix64 (Steele, Lea and Flood, "Fast Splittable
 * Pseudorandom Number Generators", OOPSLA 2014), as the authors of xoshiro advise. Neighbouring seeds give
 * unrelated states, never all zero.
 *
 * @internal
 */
export function splitMix64(seed: bigint): Uint32Array {
  const state = new Uint32Array(4);
  let counter = seed;
  for (let word = 0; word < 4; word += 2) {
    counter = (counter + 0x9e37_79b9_7f4a_7c15n) & UINT64_MASK;
    let mixed = ((counter ^ (counter >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & UINT64_MASK;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d0_49bb_1331_11ebn) & UINT64_MASK;
    mixed ^= mixed >> 31n;
    state[word] = Number(mixed & 0xffff_ffffn);
    state[word + 1] = Number(mixed >> 32n);
  }
  return state;
}
