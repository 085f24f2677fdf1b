import { ByteReader } from "../../bytes/byte-reader.js";
import { ByteWriter } from "../../bytes/byte-writer.js";
import { ConfigError } from "../../errors/errors.js";
import type { Leaf } from "../../schema/entity-components.js";
import { bytes, enumOf, string } from "../../schema/entity-composites.js";
import { defineEntity, type EntityDefinition } from "../../schema/entity-definition.js";
import { angle, flag, int, quat, scalar, uint, vec2, vec3, type Field } from "../../schema/entity-fields.js";
import { motionModels } from "../../schema/motion-layout.js";
import { planState } from "./state-plan.js";

/** Limits the bytes of each column of a field; a text is one column. */
export const MAX_COLUMN_BYTES = 24;
const MAX_FIELDS = 256;
const MAX_ENUM_VALUES = 1024;

const kinds = [
  "vec2",
  "vec3",
  "quat",
  "angle",
  "scalar",
  "int",
  "uint",
  "flag",
  "enum",
  "string",
  "bytes",
] as const;
type Kind = (typeof kinds)[number];

/** Beside the kind: the field has a number in place of a name; receivers derive it. */
const PINNED = 0x10;
const DERIVED = 0x20;
const MAX_DECIMALS = 15;
/** A mantissa of 32 bits follows, where none of 21 will do; a float of 64 bits, where no decimal will. */
const WIDE = 0x10;
const FLOAT = 0xff;

/** Numbers that stand for names: a name that is long or may change. By the path of the field, such as `wheels.0.slip`. */
export type PinnedFields = Readonly<Record<string, number>>;

/** A stream as its announcement describes it. */
export interface AnnouncedStream {
  /** Lays out and restores the states of the stream. Its fields are not called as the sender calls them: see `keys`. */
  readonly definition: EntityDefinition;
  readonly tickHz: number;
  /** For each leaf of the definition: the name that the sender gives it, or the number that it pins. */
  readonly keys: readonly (string | number)[];
}

/** An announced stream, matched with the reader's own definition. */
export interface StreamMatch {
  /** The announced component for each own one, and the announced text for each own one; -1: there is none, the default stays. */
  readonly components: Int32Array;
  readonly texts: Int32Array;
  /** Own fields that the stream does not have. */
  readonly missing: readonly string[];
  /** Own fields that have another kind in the stream: worth telling once. */
  readonly refused: readonly string[];
  /** Fields of the stream that the own definition does not know. */
  readonly unknown: readonly (string | number)[];
}

/** Describes a stream of entities. Throws {@link ConfigError} for a field that takes too many bytes. */
export function announceStream(
  definition: EntityDefinition,
  tickHz: number,
  pinned: PinnedFields = {},
): Uint8Array {
  const writer = new ByteWriter();
  writer.u8(motionModels.indexOf(definition.motion)).u8(tickHz).varint(definition.leaves.length);
  for (const leaf of definition.leaves) {
    const from = writer.length;
    writeField(writer, leaf, pinned[leaf.path]);
    const taken = writer.length - from;
    if (taken <= MAX_COLUMN_BYTES * Math.max(1, leaf.count)) continue;
    const expected = `a name and bounds that take at most ${MAX_COLUMN_BYTES} bytes: pin a number, or round the bounds`;
    throw new ConfigError({ field: `${definition.name}.${leaf.path}`, value: `${taken} bytes`, expected });
  }
  return writer.take();
}

/** Reads an announcement of any bytes; undefined where they describe no stream. */
export function readStreamAnnouncement(announcement: Uint8Array): AnnouncedStream | undefined {
  const reader = new ByteReader(announcement);
  const motion = motionModels[reader.u8()];
  const tickHz = reader.u8();
  const count = reader.varint();
  if (motion === undefined || count > MAX_FIELDS) return undefined;
  const keys: (string | number)[] = [];
  const fields: Record<string, Field> = {};
  try {
    for (let index = 0; index < count && reader.ok; index++) {
      const { key, field } = readField(reader);
      keys.push(key);
      // Parts of lists and groups, and what is pinned, have no name that a definition could give them.
      const name = typeof key === "string" && !key.includes(".") ? key : `column-${index}`;
      fields[name] = field;
    }
    if (!reader.ok || reader.remaining > 0 || new Set(keys).size < keys.length) return undefined;
    const options = motion === "step" ? { motion, step: () => undefined } : { motion };
    const definition = defineEntity("announced", fields, options);
    planState(definition, { tickHz });
    return definition.leaves.length === count ? { definition, tickHz, keys } : undefined;
  } catch (error) {
    // Columns that no definition can have.
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}

/** Finds the fields of a reader's definition in an announced stream. */
export function matchStream(
  own: EntityDefinition,
  { definition, keys }: AnnouncedStream,
  pinned: PinnedFields = {},
): StreamMatch {
  const components = new Int32Array(own.components.length).fill(-1);
  const texts = new Int32Array(own.textCount).fill(-1);
  const missing: string[] = [];
  const refused: string[] = [];
  const found = new Set<number>();
  for (const { path, field, offset, count } of own.leaves) {
    const at = keys.indexOf(pinned[path] ?? path);
    const announced = definition.leaves[at];
    if (announced) found.add(at);
    if (!announced) missing.push(path);
    else if (announced.field.kind !== field.kind) refused.push(path);
    else if (count === 0) texts[offset] = announced.offset;
    else for (let index = 0; index < count; index++) components[offset + index] = announced.offset + index;
  }
  for (const [index, { name, isSent }] of own.components.entries()) {
    const at = definition.components.findIndex((each) => each.name === name && !each.isSent);
    if (!isSent && components[index] === -1) components[index] = at;
  }
  return { components, texts, missing, refused, unknown: keys.filter((_, index) => !found.has(index)) };
}

/** A state of the stream as one of the reader's own: what the stream does not have, or not as such, is as it begins. */
export function takeStreamState(
  own: EntityDefinition,
  { components }: StreamMatch,
  state: ArrayLike<number>,
  into: Float32Array | Float64Array,
): void {
  for (const [index, { kind, max, initial }] of own.components.entries()) {
    const value = components[index]! < 0 ? initial : state[components[index]!]!;
    into[index] = kind === "enum" && value > max ? initial : value;
  }
}

function writeField(writer: ByteWriter, { path, field }: Leaf, pin: number | undefined): void {
  const isDerived = "derivedFrom" in field && field.derivedFrom !== undefined;
  writer.u8(kinds.indexOf(field.kind) | (pin === undefined ? 0 : PINNED) | (isDerived ? DERIVED : 0));
  if (pin === undefined) writer.text(path);
  else writer.varint(pin);
  const [min, max] = field.range;
  if (field.kind === "enum") writer.varint(field.values.length);
  else if (field.kind === "string" || field.kind === "bytes") writer.varint(field.maxBytes);
  else if (hasRange(field.kind)) {
    writeNumber(writer, min);
    writeNumber(writer, max);
  }
  if (hasPrecision(field.kind)) writeNumber(writer, field.precision);
}

function readField(reader: ByteReader): { key: string | number; field: Field } {
  const head = reader.u8();
  const kind = kinds[head & 0x0f];
  if (kind === undefined || head >= DERIVED * 2)
    throw new ConfigError({ field: "kind", value: head, expected: "a kind" });
  const key = head & PINNED ? reader.varint() : reader.text(MAX_COLUMN_BYTES * 4);
  const size = kind === "enum" || kind === "string" || kind === "bytes" ? reader.varint() : 0;
  const range = [hasRange(kind) ? readNumber(reader) : 0, hasRange(kind) ? readNumber(reader) : 0] as const;
  const precision = hasPrecision(kind) ? readNumber(reader) : 1;
  return { key, field: fieldOf(kind, { size, range, precision, isDerived: (head & DERIVED) !== 0 }) };
}

interface Bounds {
  readonly size: number;
  readonly range: readonly [number, number];
  readonly precision: number;
  readonly isDerived: boolean;
}

function fieldOf(kind: Kind, { size, range, precision, isDerived }: Bounds): Field {
  const ranged = { range, precision, ...(isDerived ? { derivedFrom: "position" } : {}) };
  switch (kind) {
    case "vec2":
      return vec2(ranged);
    case "vec3":
      return vec3(ranged);
    case "quat":
      return quat({ precision, unit: "rad" });
    case "angle":
      return angle({ precision, unit: "rad" });
    case "scalar":
      return scalar({ range, precision });
    case "int":
      return int({ range });
    case "uint":
      return uint({ range });
    case "flag":
      return flag();
    case "enum":
      return enumOf(Array.from({ length: Math.min(size, MAX_ENUM_VALUES + 1) }, (_, index) => `${index}`));
    case "string":
      return string({ maxBytes: size });
    case "bytes":
      return bytes({ maxBytes: size });
  }
}

function hasRange(kind: Kind): boolean {
  return kind === "vec2" || kind === "vec3" || kind === "scalar" || kind === "int" || kind === "uint";
}

function hasPrecision(kind: Kind): boolean {
  return kind === "vec2" || kind === "vec3" || kind === "scalar" || kind === "quat" || kind === "angle";
}

/** As a decimal, where that is exact: how many decimals, and all digits as a whole number. */
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
