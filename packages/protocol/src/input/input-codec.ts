import { ByteWriter } from "../bytes/byte-writer.js";
import type { DropReason } from "../drop-reasons.js";
import type { EntityDefinition } from "../schema/entity-definition.js";
import { BitCoder, codeWide } from "../state/codec/bit-coder.js";
import { quantise, restore } from "../state/columns/quantiser.js";
import { FIRST_FIELD_COLUMN, planState, type StatePlan } from "../state/columns/state-plan.js";
import type { InputDefinition } from "./input-definition.js";

/** The number of a room's inputs in a description of columns, where a kind of entity has its own. */
export const INPUT_COLUMNS = 255;
/** Bytes of the newest input's number. */
const NUMBER_BYTES = 2;
/** Bits of the number of inputs minus 1: a packet has 1 to 32. */
const COUNT_BITS = 5;
/** Inputs use no prefix codes. */
const NO_TABLES = { codes: new Int32Array(0), slots: new Int32Array(0) };
/** One coder in each direction serves all: each packet is coded to its end before the next one. */
const decoder = new BitCoder(0, NO_TABLES);
const encoder = new BitCoder(0x10000, NO_TABLES);
const writer = new ByteWriter();
let scratch = new Int32Array(64);
let scratchBefore = new Int32Array(64);

/** The inputs of consecutive ticks, the oldest first. */
export interface InputRun {
  /** Number of the last input, 16 bits, circular. */
  readonly newest: number;
  /** One row of components for each input. */
  readonly rows: readonly Float32Array[];
}

/** An input's definition. `plan`: the columns of the packets, if another build writes them. */
export interface InputColumns extends Pick<InputDefinition, "definition"> {
  readonly plan?: StatePlan;
}

const plans = new WeakMap<EntityDefinition, StatePlan>();

function planOf({ definition, plan: given }: InputColumns): StatePlan {
  const known = given ?? plans.get(definition);
  if (known) return known;
  // The rate does not matter: inputs are not predicted from ticks.
  const plan = planState(definition, { tickHz: 60 });
  plans.set(definition, plan);
  return plan;
}

/**
 * Returns the components of an input as the other side will decode them: rounded to the fields' precision.
 */
export function roundInput(input: InputColumns, row: Float32Array): Float32Array {
  const plan = planOf(input);
  const columns = scratchOf(plan);
  quantise(plan, row, columns, 0);
  const rounded = new Float32Array(row.length);
  restore(plan, columns, 0, rounded);
  return rounded;
}

/**
 * Writes inputs: the first one whole, of each other one only the changes. Throws `ConfigError` for a
 * value out of its field's range.
 */
export function writeInputs(input: InputColumns, { newest, rows }: InputRun): Uint8Array {
  const plan = planOf(input);
  encoder.startEncoding();
  encoder.bits(rows.length - 1, COUNT_BITS);
  let before: Int32Array | undefined;
  for (const row of rows) {
    const columns = scratchOf(plan);
    quantise(plan, row, columns, 0);
    codeColumns(encoder, plan, columns, before);
    before = columns;
    [scratch, scratchBefore] = [scratchBefore, scratch];
  }
  return writer.reset().u16(newest).bytes(encoder.finish()).take();
}

/** Returns an array for the columns of one input. */
function scratchOf({ width }: StatePlan): Int32Array {
  if (scratch.length < width) scratch = new Int32Array(width);
  return scratch;
}

/**
 * Reads inputs, or returns the reason for dropping the bytes. `wanted` gets the number of the newest input
 * and returns how many of the newest inputs the caller needs. Older ones are not returned. `idle`: the values
 * of components that the plan of another build lacks.
 */
export function readInputs(
  input: InputColumns,
  bytes: Uint8Array,
  wanted?: (newest: number) => number,
  idle?: Float32Array,
): InputRun | DropReason {
  if (bytes.length < NUMBER_BYTES) return "length";
  const newest = bytes[0]! | (bytes[1]! << 8);
  decoder.startDecoding(bytes, NUMBER_BYTES);
  return readRows(input, newest, wanted, idle);
}

function readRows(
  input: InputColumns,
  newest: number,
  wanted: ((newest: number) => number) | undefined,
  idle: Float32Array = new Float32Array(input.definition.components.length),
): InputRun | DropReason {
  const plan = planOf(input);
  const count = decoder.bits(0, COUNT_BITS) + 1;
  const rows: Float32Array[] = [];
  const columns = scratchOf(plan);
  const skipped = wanted ? count - wanted(newest) : 0;
  for (let index = 0; index < count && !decoder.isExhausted; index++) {
    const isInRange = codeColumns(decoder, plan, columns, index > 0 ? columns : undefined);
    if (!isInRange) return decoder.isExhausted ? "length" : "out-of-range";
    if (index < skipped) continue;
    const row = new Float32Array(idle);
    restore(plan, columns, 0, row);
    rows.push(row);
  }
  return decoder.isComplete ? { newest, rows } : "length";
}

/**
 * Codes one input. With `before`, it codes only the differences from it; a decoder passes the same array as
 * `columns` and `before`. Returns false if a value is out of its range.
 */
function codeColumns(
  coder: BitCoder,
  plan: StatePlan,
  columns: Int32Array,
  before: Int32Array | undefined,
): boolean {
  if (before && coder.flag(!coder.isDecoding && isSame(plan, columns, before))) return true;
  for (let column = FIRST_FIELD_COLUMN; column < plan.width; column++) {
    if (before && coder.flag(columns[column] === before[column])) continue;
    const least = plan.min[column]!;
    const value = codeWide(coder, columns[column]! - least, plan.bits[column]!) + least;
    if (value > plan.max[column]!) return false;
    columns[column] = value;
  }
  return true;
}

function isSame({ width }: StatePlan, columns: Int32Array, before: Int32Array): boolean {
  for (let column = FIRST_FIELD_COLUMN; column < width; column++)
    if (columns[column] !== before[column]) return false;
  return true;
}
