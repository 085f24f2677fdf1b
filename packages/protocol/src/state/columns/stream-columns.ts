import { ByteReader } from "../../bytes/byte-reader.js";
import { ByteWriter } from "../../bytes/byte-writer.js";
import { encodeUtf8 } from "../../bytes/utf8.js";
import { ConfigError } from "../../errors/errors.js";
import type { Leaf } from "../../schema/entity-components.js";
import { defineEntity, hashOf, type EntityDefinition } from "../../schema/entity-definition.js";
import type { Field } from "../../schema/entity-fields.js";
import { motionModels } from "../../schema/motion-layout.js";
import { Handling, boundsOf, handlingOf, planState, type PlanOptions, type StatePlan } from "./state-plan.js";

/** Limit of bytes of a field's description per column. A text field is one column. */
export const MAX_COLUMN_BYTES = 24;
const MAX_FIELDS = 256;
/** Limit of steps of a range on either side of 0. */
const MAX_STEPS = 2 ** 30;

/** The order matters: the first five kinds have a precision, the third to the seventh a range. */
const kinds = [
  "quat",
  "angle",
  "vec2",
  "vec3",
  "scalar",
  "int",
  "uint",
  "flag",
  "enum",
  "string",
  "bytes",
] as const;
type Kind = (typeof kinds)[number];

/** Flags beside the kind: a number replaces the name; receivers derive the field. */
const NUMBERED = 0x10;
const DERIVED = 0x20;
const MAX_DECIMALS = 15;
/**
 * Flag for a mantissa of 32 instead of 21 bits. FLOAT: a 64-bit float follows, because no decimal is exact.
 */
const WIDE = 0x10;
const FLOAT = 0xff;

/** The use of a stream's columns by a reader with another definition of the entity. */
export interface ColumnMatch {
  /**
   * The stream's columns, converted to the reader's own `definition`. Components that the stream lacks, or
   * has as another kind, keep their values. Undefined if no field matches.
   */
  readonly plan: StatePlan | undefined;
  /** The differences in words: `no "boost"`. */
  readonly differences: readonly string[];
}

/** Describes the columns of a stream for readers whose definition may differ. */
export function describeColumns(definition: EntityDefinition): Uint8Array {
  const writer = new ByteWriter();
  writer.u8(motionModels.indexOf(definition.motion)).varint(definition.leaves.length);
  for (const leaf of definition.leaves) writeField(writer, leaf);
  return writer.take();
}

/**
 * Finds the fields of a reader's own definition in described columns. Returns undefined if the bytes are
 * malformed.
 */
export function matchColumns(
  own: EntityDefinition,
  columns: Uint8Array,
  options: PlanOptions,
): ColumnMatch | undefined {
  try {
    const described = readColumns(columns);
    return described && match(own, planState(described.definition, options), described.keys);
  } catch (error) {
    // No definition can have such columns.
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

interface DescribedColumns {
  readonly definition: EntityDefinition;
  /** For each leaf: its name at the sender, or the number that replaces a long name. */
  readonly keys: readonly (string | number)[];
}

function readColumns(columns: Uint8Array): DescribedColumns | undefined {
  const reader = new ByteReader(columns);
  const motion = motionModels[reader.u8()];
  const count = reader.varint();
  if (motion === undefined || count > MAX_FIELDS) return undefined;
  const keys: (string | number)[] = [];
  const fields: Record<string, Field> = {};
  for (let index = 0; index < count && reader.ok; index++) {
    const { key, field } = readField(reader);
    keys.push(key);
    // Paths into lists and groups, and numbers, are not valid field names.
    fields[typeof key === "string" && !key.includes(".") ? key : `column-${index}`] = field;
  }
  if (!reader.ok || reader.remaining > 0 || new Set(keys).size < keys.length) return undefined;
  const options = motion === "step" ? { motion, step: () => undefined } : { motion };
  const definition = defineEntity("described", fields, options);
  return definition.leaves.length === count ? { definition, keys } : undefined;
}

function match(own: EntityDefinition, theirs: StatePlan, keys: readonly (string | number)[]): ColumnMatch {
  const columnOf = new Int32Array(own.components.length).fill(-1);
  const textOf = new Int32Array(own.textCount).fill(-1);
  const differences: string[] = [];
  /** The places of their fields, in the order of the own ones. */
  const found = new Set<number>();
  const { definition } = theirs;
  for (const { path, field, offset, count } of own.leaves) {
    const at = keys.findIndex((key) => key === path || key === numberOf(path));
    const leaf = definition.leaves[at];
    if (!leaf) {
      differences.push(`no "${path}"`);
      continue;
    }
    found.add(at);
    if (leaf.field.kind !== field.kind) differences.push(`"${path}" as ${leaf.field.kind}`);
    else if (count === 0) textOf[offset] = leaf.offset;
    else {
      if (describeBounds(leaf.field) !== describeBounds(field)) differences.push(`"${path}" in other bounds`);
      for (let index = 0; index < count; index++)
        columnOf[offset + index] = theirs.columnOf[leaf.offset + index]!;
    }
  }
  const places = [...found];
  if (places.some((place, index) => place < (places[index - 1] ?? 0)))
    differences.push("its fields in another order");
  for (const [index, key] of keys.entries()) if (!found.has(index)) differences.push(`"${key}" besides`);
  for (const [index, { name, isSent }] of own.components.entries()) {
    if (isSent || columnOf[index] !== -1) continue;
    const at = definition.components.findIndex((each) => each.name === name && !each.isSent);
    if (at >= 0) columnOf[index] = theirs.columnOf[at]!;
  }
  if (Math.max(...columnOf, ...textOf) < 0) return { plan: undefined, differences };
  const { handling, lowest, highest } = planOwn(own, columnOf, theirs);
  return { plan: { ...theirs, definition: own, columnOf, textOf, handling, lowest, highest }, differences };
}

function planOwn(
  own: EntityDefinition,
  columnOf: Int32Array,
  { max }: StatePlan,
): Pick<StatePlan, "handling" | "lowest" | "highest"> {
  const handling = handlingOf(own, columnOf);
  const { lowest, highest } = boundsOf(own);
  for (const [index, { kind }] of own.components.entries())
    if (kind === "enum" && handling[index] !== Handling.none && max[columnOf[index]!]! > highest[index]!)
      handling[index] = Handling.name;
  return { handling, lowest, highest };
}

/** Returns the number that replaces a long name. */
function numberOf(path: string): number {
  return hashOf(path) & 0xfffff;
}

function describeBounds({ kind, range, precision }: Leaf["field"]): string {
  const steps = range.map((bound) => Math.round(bound / precision));
  return [precision, hasRange(kind) || kind === "enum" ? steps : ""].join(" ");
}

function writeField(writer: ByteWriter, { path, field, count }: Leaf): void {
  const { kind, range, precision } = field;
  const bounds = new ByteWriter();
  if (kind === "enum") bounds.varint(field.values.length);
  if ("maxBytes" in field) bounds.varint(field.maxBytes);
  if (hasRange(kind)) for (const bound of range) writeNumber(bounds, Math.round(bound / precision));
  if (hasPrecision(kind)) writeNumber(bounds, precision);
  const isDerived = "derivedFrom" in field && field.derivedFrom !== undefined;
  const nameBytes = MAX_COLUMN_BYTES * Math.max(1, count) - bounds.length - 2;
  const isNumbered = encodeUtf8(path).length > nameBytes;
  writer.u8(kinds.indexOf(kind) | (isNumbered ? NUMBERED : 0) | (isDerived ? DERIVED : 0));
  if (isNumbered) writer.varint(numberOf(path));
  else writer.text(path);
  writer.bytes(bounds.view());
}

function readField(reader: ByteReader): { key: string | number; field: Field } {
  const head = reader.u8();
  const kind = kinds[head & 0x0f];
  demand(kind !== undefined && head < DERIVED * 2);
  const key = head & NUMBERED ? reader.varint() : reader.text(MAX_COLUMN_BYTES * 4);
  const derived = head & DERIVED ? { derivedFrom: "position" } : {};
  return { key, field: { kind, unit: "", ...derived, ...readBounds(reader, kind!) } as Field };
}

function readBounds(reader: ByteReader, kind: Kind): object {
  const isText = kind === "string" || kind === "bytes";
  const most = isText || kind === "enum" ? reader.varint() : 2;
  demand(most > 0);
  if (isText) return { maxBytes: most, range: [0, 0], precision: 0 };
  const steps = hasRange(kind) ? [readNumber(reader), readNumber(reader)] : [0, 1];
  const precision = hasPrecision(kind) ? readNumber(reader) : 1;
  const [min, max] = steps as [number, number];
  demand(steps.every(Number.isInteger) && min < max && Math.max(-min, max, max - min) <= MAX_STEPS);
  demand(precision > 0 && precision < Infinity);
  if (hasRange(kind)) return { range: [min * precision, max * precision], precision };
  if (!hasPrecision(kind)) return { values: [], range: [0, most - 1], precision };
  // An angle's full turn and a quaternion's components must be whole numbers of steps, too.
  demand(precision < Math.PI * 2 && precision > 2 ** -27);
  const bound = kind === "angle" ? Math.PI : 1;
  return { range: [-bound, bound], precision };
}

/** Throws {@link ConfigError} if no definition can have the described columns. */
function demand(isPossible: boolean): void {
  if (!isPossible) throw new ConfigError("columns", undefined, "columns");
}

function hasRange(kind: Kind): boolean {
  const at = kinds.indexOf(kind);
  return at > 1 && at < 7;
}

function hasPrecision(kind: Kind): boolean {
  return kinds.indexOf(kind) < 5;
}

/**
 * Writes a number as a decimal if that is exact: the number of decimals, then all digits as a whole number.
 * Otherwise writes a float.
 */
function writeNumber(writer: ByteWriter, value: number): void {
  for (let decimals = 0; decimals <= MAX_DECIMALS; decimals++) {
    const digits = Math.round(value * 10 ** decimals);
    if (Math.abs(digits) > 0x7fff_ffff) break;
    if (digits / 10 ** decimals !== value) continue;
    const folded = digits < 0 ? -2 * digits - 1 : 2 * digits;
    if (folded < 2 ** 21) writer.u8(decimals).varint(folded);
    else writer.u8(decimals | WIDE).u32(folded);
    return;
  }
  const words = new Uint32Array(Float64Array.of(value).buffer);
  writer.u8(FLOAT).u32(words[0]!).u32(words[1]!);
}

function readNumber(reader: ByteReader): number {
  const head = reader.u8();
  if (head === FLOAT) return new Float64Array(Uint32Array.of(reader.u32(), reader.u32()).buffer)[0]!;
  const folded = head & WIDE ? reader.u32() : reader.varint();
  const digits = folded % 2 === 1 ? -(folded + 1) / 2 : folded / 2;
  return head < WIDE * 2 ? digits / 10 ** (head & 0x0f) : Number.NaN;
}
