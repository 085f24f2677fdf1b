import { defineCar } from "./car.js";
import type { Row } from "./bench.js";
import { entropyBytes, residualsOf } from "./entropy-reference.js";
import { AcknowledgedSystem } from "./paceline-system.js";
import { CARS, type Trace } from "./trace.js";

/** Residual to a number that is not negative, small ones first: 0, -1, 1, -2, 2. */
function folded(residual: number): number {
  return residual < 0 ? -2 * residual - 1 : 2 * residual;
}

/** A field's width in bits, or a flag and that of its largest: the widths that suit the whole trace best. */
function packedBits(residuals: readonly number[]): number {
  const lengths = residuals.map((residual) => 32 - Math.clz32(folded(residual)));
  const widest = lengths.reduce((most, length) => Math.max(most, length), 0);
  let best = widest * lengths.length;
  for (let width = 0; width < widest; width++) {
    const bits = lengths.reduce((sum, length) => sum + 1 + (length <= width ? width : widest), 0);
    best = Math.min(best, bits);
  }
  return best;
}

/** Rice's code with the best parameter for the whole trace; from 24 ones on the number as it is. */
function riceBits(residuals: readonly number[]): number {
  let best = Infinity;
  for (let low = 0; low < 16; low++) {
    let bits = 0;
    for (const residual of residuals) {
      const ones = folded(residual) >>> low;
      bits += ones < 24 ? ones + 1 + low : 24 + 32;
    }
    best = Math.min(best, bits);
  }
  return best;
}

/** Two chances of a binary decision, counted as they come (Krichevsky and Trofimov). */
class Decision {
  #zeros = 0.5;
  #ones = 0.5;

  cost(isOne: boolean): number {
    const total = this.#zeros + this.#ones;
    const bits = -Math.log2((isOne ? this.#ones : this.#zeros) / total);
    if (isOne) this.#ones += 1;
    else this.#zeros += 1;
    return bits;
  }
}

const DECISIONS = 33;

/** The bit length as one decision per bit; the bits below the highest and the sign are stored as they are. */
function binaryBits(residual: number, decisions: readonly Decision[]): number {
  const size = Math.abs(residual);
  const length = 32 - Math.clz32(size);
  let bits = size === 0 ? 0 : length;
  for (let index = 0; index < length; index++) bits += decisions[index]!.cost(true);
  return bits + decisions[length]!.cost(false);
}

const newDecisions = (): Decision[] => Array.from({ length: DECISIONS }, () => new Decision());

/** Learns from all packets before: possible only if none is lost. */
function learnedBits(residuals: readonly number[]): number {
  const decisions = newDecisions();
  return residuals.reduce((sum, residual) => sum + binaryBits(residual, decisions), 0);
}

/** Starts empty in every packet and learns from the cars before. */
function packetBits(residuals: readonly number[]): number {
  const ticks = residuals.length / CARS;
  let bits = 0;
  for (let tick = 0; tick < ticks; tick++) {
    const decisions = newDecisions();
    for (let car = 0; car < CARS; car++) bits += binaryBits(residuals[car * ticks + tick]!, decisions);
  }
  return bits;
}

function ourBytes(trace: Trace, ageTicks: number): number {
  const definition = defineCar("yaw", trace.frames);
  const common = { definition, rotation: "yaw", hz: trace.hz, mode: "", lossRatio: 0 } as const;
  const system = new AcknowledgedSystem({ ...common, cars: CARS, ageTicks });
  system.stopCopying();
  system.join(trace.frames[0]!);
  const from = 120;
  let bytes = 0;
  for (let tick = 1; tick < trace.frames.length; tick++) {
    const size = system.encode(trace.frames[tick]!, tick);
    if (tick >= from) bytes += size;
  }
  return bytes / (trace.frames.length - from);
}

/** Bytes per tick of eight cars by several codes of the same residuals, and by the codec. */
export function coderRows(trace: Trace): Row[] {
  return [1, Math.round(0.2 * trace.hz)].map((age) => {
    const fields = residualsOf(trace, "yaw", age);
    const bytes = (bitsOf: (residuals: readonly number[]) => number) =>
      (fields.reduce((sum, residuals) => sum + bitsOf(residuals) / residuals.length, 0) * CARS) / 8;
    return {
      trace: trace.name,
      baselineMs: Math.round((age * 1000) / trace.hz),
      bitPacking: bytes(packedBits),
      rice: bytes(riceBits),
      binaryRangeByPacket: bytes(packetBits),
      binaryRangeLearned: bytes(learnedBits),
      order0Entropy: entropyBytes(trace, "yaw", age),
      paceline: ourBytes(trace, age),
    };
  });
}
