import type { ByteReader } from "../bytes/byte-reader.js";
import type { ByteWriter } from "../bytes/byte-writer.js";
import { decodeUtf8, encodeUtf8 } from "../bytes/utf8.js";
import { ConfigError } from "../errors/errors.js";
import type { Field, NumericField } from "../schema/entity-fields.js";

/** Codes the items of a list or map: each value whole, in bytes. */
export interface ItemCodec {
  /** Longest encoding of a value. */
  readonly maxBytes: number;
  /**
   * Returns a copy of a value as receivers will read it, rounded to its precision. Throws {@link ConfigError} for
   * a value that the field cannot hold. `path` names the item.
   */
  checked(path: string, value: unknown): unknown;
  /** Returns the bytes of a checked value. */
  sizeOf(value: unknown): number;
  /** Writes a checked value. */
  write(writer: ByteWriter, value: unknown): void;
  /** Reads a value of the network. The reader is not `ok` afterwards if it is malformed. */
  read(reader: ByteReader): unknown;
}

const TURN = 2 * Math.PI;
const axes = ["x", "y", "z", "w"] as const;
const axisCounts = { vec2: 2, vec3: 3, quat: 4 } as const;
/** A component of a rotation travels as a whole number of this many steps. */
const QUAT_STEPS = 32_767;
/** Two sides may round a rotation's length to 1 in different last bits. */
const QUAT_LENGTH_ERROR = 0.001;
const MAX_STEPS = 0xffff_ffff;

/** Returns the codec of a field's values. Throws {@link ConfigError} for a range of too many steps. */
export function itemCodec(path: string, field: Field): ItemCodec {
  switch (field.kind) {
    case "flag":
      return flagCodec;
    case "enum":
      return enumCodec(field.values);
    case "string":
      return textCodec(field.maxBytes);
    case "bytes":
      return bytesCodec(field.maxBytes);
    case "vec2":
    case "vec3":
      return groupCodec(vectorMembers(path, field, axisCounts[field.kind]));
    case "quat":
      return quatCodec;
    case "group":
      return groupCodec(
        Object.entries(field.fields).map(([name, of]) => [name, itemCodec(`${path}.${name}`, of)] as const),
      );
    case "list":
      return fixedListCodec(itemCodec(path, field.item), field.length);
    case "growing":
    case "map":
      throw new ConfigError(path, field, "a field that is no list or map of changing length");
    case "angle":
      return angleCodec(field.precision);
    default:
      return numberCodec(path, field);
  }
}

const flagCodec: ItemCodec = {
  maxBytes: 1,
  sizeOf: () => 1,
  checked(path, value) {
    if (typeof value === "boolean") return value;
    throw new ConfigError(path, value, "true or false");
  },
  write: (writer, value) => void writer.u8(value === true ? 1 : 0),
  read(reader) {
    const value = reader.u8();
    if (value > 1) reader.ok = false;
    return value === 1;
  },
};

function enumCodec(names: readonly string[]): ItemCodec {
  const steps = stepsCodec(names.length - 1);
  return {
    ...steps,
    checked(path, value) {
      if (names.includes(value as string)) return value;
      throw new ConfigError(path, value, `one of ${names.join(", ")}`);
    },
    write: (writer, value) => steps.write(writer, names.indexOf(value as string)),
    read: (reader) => names[steps.read(reader)] ?? "",
  };
}

function numberCodec(path: string, { kind, range: [min, max], precision, unit }: NumericField): ItemCodec {
  const [first, last] = [Math.round(min / precision), Math.round(max / precision)];
  if (last - first > MAX_STEPS)
    throw new ConfigError(`${path}.precision`, precision, `at most 2^32 steps from ${min} to ${max}`);
  const steps = stepsCodec(last - first);
  const isWhole = kind === "int" || kind === "uint";
  const valueOf = (step: number): number => Math.min(Math.max((step + first) * precision, min), max);
  const stepOf = (value: number): number =>
    Math.min(Math.max(Math.round(value / precision), first), last) - first;
  return {
    ...steps,
    checked(at, value) {
      // NaN fails all comparisons.
      const isWithin = typeof value === "number" && value >= min && value <= max;
      if (isWithin && (!isWhole || Number.isInteger(value))) return valueOf(stepOf(value));
      throw new ConfigError(
        at,
        value,
        `a ${isWhole ? "whole " : ""}number from ${min} to ${max} ${unit}`.trim(),
      );
    },
    write: (writer, value) => steps.write(writer, stepOf(value as number)),
    read: (reader) => valueOf(steps.read(reader)),
  };
}

function angleCodec(precision: number): ItemCodec {
  const turn = Math.ceil(TURN / precision - 1e-9);
  const steps = stepsCodec(turn - 1);
  const valueOf = (step: number): number => {
    const value = step * (TURN / turn);
    return value >= Math.PI ? value - TURN : value;
  };
  const stepOf = (value: number): number => {
    const step = Math.round(value / (TURN / turn)) % turn;
    return step < 0 ? step + turn : step;
  };
  return {
    ...steps,
    checked(path, value) {
      if (typeof value === "number" && Number.isFinite(value)) return valueOf(stepOf(value));
      throw new ConfigError(path, value, "a finite number of rad");
    },
    write: (writer, value) => steps.write(writer, stepOf(value as number)),
    read: (reader) => valueOf(steps.read(reader)),
  };
}

interface StepsCodec {
  readonly maxBytes: number;
  sizeOf(): number;
  write(writer: ByteWriter, step: number): void;
  read(reader: ByteReader): number;
}

/** Codes a whole number from 0 to `last` in 1, 2 or 4 bytes. A larger one that is read is malformed. */
function stepsCodec(last: number): StepsCodec {
  const maxBytes = last <= 0xff ? 1 : last <= 0xffff ? 2 : 4;
  const name = maxBytes === 1 ? "u8" : maxBytes === 2 ? "u16" : "u32";
  return {
    maxBytes,
    sizeOf: () => maxBytes,
    write: (writer, step) => void writer[name](step),
    read(reader) {
      const step = reader[name]();
      if (step > last) reader.ok = false;
      return Math.min(step, last);
    },
  };
}

function textCodec(maxBytes: number): ItemCodec {
  return {
    maxBytes: maxBytes + (maxBytes > 0x7f ? 2 : 1),
    sizeOf(value) {
      const { length } = encodeUtf8(value as string);
      return length + (length > 0x7f ? 2 : 1);
    },
    checked(path, value) {
      if (isText(value, maxBytes)) return value;
      const expected = `text of at most ${maxBytes} bytes of UTF-8, without halves of surrogate pairs`;
      throw new ConfigError(path, value, expected);
    },
    write: (writer, value) => void writer.text(value as string),
    read: (reader) => reader.text(maxBytes),
  };
}

/** Returns true for a text of at most so many bytes that is the same after its way over the network. */
export function isText(value: unknown, maxBytes: number): value is string {
  // The first comparison spares the encoding of a long text.
  if (typeof value !== "string" || value.length > maxBytes) return false;
  const encoded = encodeUtf8(value);
  return encoded.length <= maxBytes && decodeUtf8(encoded) === value;
}

function bytesCodec(maxBytes: number): ItemCodec {
  return {
    maxBytes: maxBytes + 1,
    sizeOf: (value) => (value as Uint8Array).length + 1,
    checked(path, value) {
      if (value instanceof Uint8Array && value.length <= maxBytes) return value.slice();
      throw new ConfigError(path, value, `at most ${maxBytes} bytes`);
    },
    write: (writer, value) => void writer.u8((value as Uint8Array).length).bytes(value as Uint8Array),
    read(reader) {
      const length = reader.u8();
      if (length > maxBytes) reader.ok = false;
      return reader.bytes(length).slice();
    },
  };
}

const quatCodec: ItemCodec = {
  maxBytes: 8,
  sizeOf: () => 8,
  checked(path, value) {
    const parts = axes.map((axis) => memberOf(path, value, axis)).filter((part) => typeof part === "number");
    const length = Math.hypot(...parts);
    if (parts.length === axes.length && length > 0 && length < Infinity)
      return quatOf(parts.map((part) => Math.round((part / length) * QUAT_STEPS)));
    throw new ConfigError(path, value, "a quaternion that is not 0");
  },
  write(writer, value) {
    for (const axis of axes) {
      const part = (value as Readonly<Record<string, number>>)[axis]!;
      writer.u16(Math.round(part * QUAT_STEPS) + QUAT_STEPS);
    }
  },
  read(reader) {
    const steps = axes.map(() => reader.u16() - QUAT_STEPS);
    if (Math.abs(Math.hypot(...steps) / QUAT_STEPS - 1) > QUAT_LENGTH_ERROR) reader.ok = false;
    return quatOf(steps);
  },
};

function quatOf(steps: readonly number[]): unknown {
  return Object.freeze(Object.fromEntries(axes.map((axis, index) => [axis, steps[index]! / QUAT_STEPS])));
}

type Members = readonly (readonly [name: string, codec: ItemCodec])[];

function vectorMembers(path: string, field: NumericField, count: number): Members {
  const each = numberCodec(path, field);
  return axes.slice(0, count).map((axis) => [axis, each] as const);
}

/** Codes an object of these members, all of which a value must have. */
function groupCodec(members: Members): ItemCodec {
  const names = members.map(([name]) => name);
  return {
    maxBytes: members.reduce((sum, [, codec]) => sum + codec.maxBytes, 0),
    sizeOf: (value) =>
      members.reduce(
        (sum, [name, codec]) => sum + codec.sizeOf((value as Readonly<Record<string, unknown>>)[name]),
        0,
      ),
    checked(path, value) {
      const unknown = isObject(value) ? Object.keys(value).find((name) => !names.includes(name)) : undefined;
      if (unknown !== undefined)
        throw new ConfigError(
          `${path}.${unknown}`,
          memberOf(path, value, unknown),
          `one of ${names.join(", ")}`,
        );
      const checked = members.map(([name, codec]) => [
        name,
        codec.checked(`${path}.${name}`, memberOf(path, value, name)),
      ]);
      return Object.freeze(Object.fromEntries(checked));
    },
    write(writer, value) {
      for (const [name, codec] of members)
        codec.write(writer, (value as Readonly<Record<string, unknown>>)[name]);
    },
    read: (reader) =>
      Object.freeze(Object.fromEntries(members.map(([name, codec]) => [name, codec.read(reader)]))),
  };
}

function fixedListCodec(item: ItemCodec, length: number): ItemCodec {
  return {
    maxBytes: length * item.maxBytes,
    sizeOf: (value) =>
      (value as readonly unknown[]).reduce<number>((sum, each) => sum + item.sizeOf(each), 0),
    checked(path, value) {
      if (Array.isArray(value) && value.length === length)
        return Object.freeze(value.map((each, index) => item.checked(`${path}.${index}`, each)));
      throw new ConfigError(path, value, `a list of ${length}`);
    },
    write(writer, value) {
      for (const each of value as readonly unknown[]) item.write(writer, each);
    },
    read: (reader) => Object.freeze(Array.from({ length }, () => item.read(reader))),
  };
}

function memberOf(path: string, value: unknown, name: string): unknown {
  if (isObject(value)) return value[name];
  throw new ConfigError(path, value, "an object");
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === "object" && value !== null;
}

/** Compares two checked values of one codec. */
export function isSameItem(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return Object.is(a, b);
  const [left, right] = [Object.entries(a), b as Readonly<Record<string, unknown>>];
  return (
    left.length === Object.keys(b).length && left.every(([name, value]) => isSameItem(value, right[name]))
  );
}
