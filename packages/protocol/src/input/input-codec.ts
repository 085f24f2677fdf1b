import { ByteReader } from "../bytes/byte-reader.js";
import { ByteWriter } from "../bytes/byte-writer.js";
import type { DropReason } from "../errors/codes.js";
import { quantise, restore } from "../state/plan/quantiser.js";
import { FIRST_FIELD_COLUMN, type StatePlan } from "../state/plan/state-plan.js";
import { BitReader, BitWriter } from "./bits.js";
import type { InputDefinition } from "./input-definition.js";

/** Inputs are read one after the other, each before the next packet. */
let scratch = new Int32Array(64);
/** Inputs that one packet may repeat. */
export const MAX_INPUTS = 32;
const COUNT_BITS = 5;

/** The inputs of consecutive ticks, the oldest first. */
export interface InputRun {
  /** Number of the last one, 16 bits circular. */
  readonly newest: number;
  /** A row of components each. */
  readonly rows: readonly Float32Array[];
}

/** The components of an input as the other side will have them: rounded to the fields' precision. */
export function roundInput({ plan }: InputDefinition, row: Float32Array): Float32Array {
  const columns = new Int32Array(plan.width);
  quantise(plan, row, columns, 0);
  const rounded = new Float32Array(row.length);
  restore(plan, columns, 0, rounded);
  return rounded;
}

/**
 * Writes inputs: the first whole, of each other what has changed. Throws {@link ConfigError} for a value that is out of
 * its field's range.
 */
export function writeInputs({ plan }: InputDefinition, { newest, rows }: InputRun): Uint8Array {
  const bits = new BitWriter();
  bits.write(rows.length - 1, COUNT_BITS);
  let before: Int32Array | undefined;
  for (const row of rows) {
    const columns = new Int32Array(plan.width);
    quantise(plan, row, columns, 0);
    writeColumns(bits, plan, columns, before);
    before = columns;
  }
  return new ByteWriter().u16(newest).bytes(bits.take()).take();
}

/**
 * Reads inputs; a reason where the bytes are dropped. `wanted`: how many of the newest ones are news, where they end with
 * that number; of the others nothing is returned.
 */
export function readInputs(
  definition: InputDefinition,
  bytes: Uint8Array,
  wanted?: (newest: number) => number,
): InputRun | DropReason {
  const { plan } = definition;
  const reader = new ByteReader(bytes);
  const newest = reader.u16();
  if (!reader.ok) return "length";
  const bits = new BitReader(reader.rest());
  const count = bits.read(COUNT_BITS) + 1;
  const rows: Float32Array[] = [];
  if (scratch.length < plan.width) scratch = new Int32Array(plan.width);
  const columns = scratch;
  const passedOver = wanted ? count - wanted(newest) : 0;
  for (let index = 0; index < count && bits.ok; index++) {
    if (!readColumns(bits, plan, columns, index > 0)) return bits.ok ? "out-of-range" : "length";
    if (index < passedOver) continue;
    const row = new Float32Array(definition.definition.components.length);
    restore(plan, columns, 0, row);
    rows.push(row);
  }
  return bits.isComplete ? { newest, rows } : "length";
}

function writeColumns(
  bits: BitWriter,
  plan: StatePlan,
  columns: Int32Array,
  before: Int32Array | undefined,
): void {
  if (before) {
    const isSame = columns.every((value, column) => value === before[column]);
    bits.write(isSame ? 1 : 0, 1);
    if (isSame) return;
  }
  for (let column = FIRST_FIELD_COLUMN; column < plan.width; column++) {
    const isSame = before !== undefined && columns[column] === before[column];
    if (before) bits.write(isSame ? 1 : 0, 1);
    if (!isSame) bits.write(columns[column]! - plan.min[column]!, plan.bits[column]!);
  }
}

function readColumns(bits: BitReader, plan: StatePlan, columns: Int32Array, hasBefore: boolean): boolean {
  if (hasBefore && bits.read(1) === 1) return true;
  for (let column = FIRST_FIELD_COLUMN; column < plan.width; column++) {
    if (hasBefore && bits.read(1) === 1) continue;
    const value = bits.read(plan.bits[column]!) + plan.min[column]!;
    if (value > plan.max[column]!) return false;
    columns[column] = value;
  }
  return true;
}
