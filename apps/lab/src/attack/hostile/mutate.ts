import type { Random } from "@paceline/testkit";

/** Byte values at which parsers often go wrong. */
const EDGES = [0, 1, 0x7f, 0x80, 0xc1, 0xfe, 0xff];
const MAX_CHANGES = 4;
const MAX_BYTES = 16_384;

type Change = (bytes: Uint8Array, random: Random, others: readonly Uint8Array[]) => Uint8Array;

const changes: readonly Change[] = [
  // Flips one bit.
  (bytes, random) => {
    const at = random.int(0, bytes.length - 1);
    bytes[at] = bytes[at]! ^ (1 << random.int(0, 7));
    return bytes;
  },
  // Sets one byte to an edge or to any value.
  (bytes, random) => {
    const value = random.bool(0.5) ? EDGES[random.int(0, EDGES.length - 1)]! : random.int(0, 255);
    bytes[random.int(0, bytes.length - 1)] = value;
    return bytes;
  },
  // Cuts the end off.
  (bytes, random) => bytes.slice(0, random.int(1, bytes.length)),
  // Appends random bytes.
  (bytes, random) => joined(bytes, random.bytes(random.int(1, 64))),
  // Fills a run of bytes with an edge: lengths and counts of several bytes.
  (bytes, random) => {
    const at = random.int(0, bytes.length - 1);
    return bytes.fill(EDGES[random.int(0, EDGES.length - 1)]!, at, at + random.int(2, 8));
  },
  // Repeats or removes a part.
  (bytes, random) => {
    const [from, to] = [random.int(0, bytes.length), random.int(0, bytes.length)].toSorted((a, b) => a - b);
    return joined(bytes.subarray(0, to), bytes.subarray(from));
  },
  // Joins the beginning of one and the end of another.
  (bytes, random, others) => {
    const other = others[random.int(0, others.length - 1)]!;
    return joined(
      bytes.subarray(0, random.int(1, bytes.length)),
      other.subarray(random.int(0, other.length)),
    );
  },
];

function joined(a: Uint8Array, b: Uint8Array): Uint8Array {
  const bytes = new Uint8Array(Math.min(MAX_BYTES, a.length + b.length));
  bytes.set(a.subarray(0, bytes.length));
  bytes.set(b.subarray(0, bytes.length - Math.min(a.length, bytes.length)), Math.min(a.length, bytes.length));
  return bytes;
}

/** Returns a copy with one to four changes, never empty. `others` provide parts to insert. */
export function mutated(bytes: Uint8Array, random: Random, others: readonly Uint8Array[]): Uint8Array {
  let mutant = Uint8Array.from(bytes);
  for (let count = random.int(1, MAX_CHANGES); count > 0; count--) {
    if (mutant.length === 0) return random.bytes(1);
    mutant = Uint8Array.from(changes[random.int(0, changes.length - 1)]!(mutant, random, others));
  }
  return mutant;
}
