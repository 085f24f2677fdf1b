import type { BytesField, EnumField, GroupField, ListField, StringField } from "./entity-composites.js";
import { ConfigError } from "../errors/errors.js";

/** Smallest and largest value, both included, in the field's unit. */
export type Range = readonly [min: number, max: number];

/** Options that every field takes. */
interface CommonOptions<Value> {
  /** Initial value. Default: the value nearest to zero. */
  readonly default?: Value;
}

interface RangedOptions<Value> extends CommonOptions<Value> {
  readonly range: Range;
  /** The step of the wire, in the field's unit: rounding to it adds an error of at most half of it. */
  readonly precision: number;
  /** Printed in errors and tables: "m", "m/s". */
  readonly unit?: string;
}

interface VectorOptions<Value> extends RangedOptions<Value> {
  /** The position whose rate of change this is: receivers derive it, and it takes no bits. */
  readonly derivedFrom?: string;
}

interface FieldShape<Kind extends string, Value = unknown> {
  readonly kind: Kind;
  readonly range: Range;
  readonly precision: number;
  readonly unit: string;
  readonly default?: Value;
}

interface VectorShape<Kind extends string, Value> extends FieldShape<Kind, Value> {
  readonly derivedFrom?: string;
}

export interface Vec2Value {
  readonly x: number;
  readonly y: number;
}

export interface Vec3Value extends Vec2Value {
  readonly z: number;
}

export interface QuatValue extends Vec3Value {
  readonly w: number;
}

export type Vec2Field = VectorShape<"vec2", Vec2Value>;
export type Vec3Field = VectorShape<"vec3", Vec3Value>;
export type AngleField = FieldShape<"angle", number>;
export type ScalarField = FieldShape<"scalar", number>;
export type IntField = FieldShape<"int", number>;
export type UintField = FieldShape<"uint", number>;
export type FlagField = FieldShape<"flag", boolean>;
export type QuatField = FieldShape<"quat", QuatValue>;

/** A field that is made of numbers. */
export type NumericField =
  Vec2Field | Vec3Field | AngleField | ScalarField | IntField | UintField | FlagField | QuatField | EnumField;

/** The kinds of fields of an entity. */
export type Field = NumericField | StringField | BytesField | ListField | GroupField;

/** Two numbers of one range: `position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" })`. */
export function vec2(options: VectorOptions<Vec2Value>): Vec2Field {
  return ranged("vec2", options);
}

/** Three numbers of one range. */
export function vec3(options: VectorOptions<Vec3Value>): Vec3Field {
  return ranged("vec3", options);
}

/** One number. */
export function scalar(options: RangedOptions<number>): ScalarField {
  return ranged("scalar", options);
}

/** A direction in radians. Any finite value may be written; it is kept in [-pi, pi). */
export function angle(
  options: { readonly precision: number; readonly unit: "rad" } & CommonOptions<number>,
): AngleField {
  if (options.unit !== "rad") {
    throw new ConfigError({ field: "angle.unit", value: options.unit, expected: `"rad"` });
  }
  return ranged("angle", { ...options, range: [-Math.PI, Math.PI] });
}

/** A rotation. Precision is an angle: no rotation comes back turned by more than half of it. */
export function quat(
  options: { readonly precision: number; readonly unit: "rad" } & CommonOptions<QuatValue>,
): QuatField {
  if (options.unit !== "rad") {
    throw new ConfigError({ field: "quat.unit", value: options.unit, expected: `"rad"` });
  }
  if (!(options.precision >= 1e-6 && options.precision <= 1)) {
    throw new ConfigError({ field: "quat.precision", value: options.precision, expected: "1e-6 to 1 rad" });
  }
  return ranged("quat", { ...options, range: [-1, 1] });
}

interface IntOptions extends CommonOptions<number> {
  readonly range: Range;
  readonly unit?: string;
}

/** A whole number. */
export function int(options: IntOptions): IntField {
  return whole("int", options);
}

/** A whole number from 0 on. */
export function uint(options: IntOptions): UintField {
  const field = whole("uint", options);
  if (field.range[0] >= 0) return field;
  throw new ConfigError({ field: "uint.range", value: field.range[0], expected: "numbers from 0 on" });
}

/** True or false. */
export function flag(options: CommonOptions<boolean> = {}): FlagField {
  return { ...options, kind: "flag", range: [0, 1], precision: 1, unit: "" };
}

function whole<Kind extends "int" | "uint">(kind: Kind, options: IntOptions): FieldShape<Kind, number> {
  for (const bound of boundsOf(kind, options.range)) {
    if (!Number.isSafeInteger(bound) || Math.abs(bound) > 2 ** 24) {
      throw new ConfigError({
        field: `${kind}.range`,
        value: bound,
        expected: "whole numbers within ±16777216",
      });
    }
  }
  return ranged(kind, { ...options, precision: 1 });
}

function ranged<Kind extends string, Options extends RangedOptions<Value>, Value>(
  kind: Kind,
  options: Options & RangedOptions<Value>,
): Options & FieldShape<Kind, Value> {
  const { precision, unit = "" } = options;
  const [min, max] = boundsOf(kind, options.range);
  if (!Number.isFinite(precision) || precision <= 0 || precision > max - min) {
    throw new ConfigError({
      field: `${kind}.precision`,
      value: precision,
      expected: `a number above 0 and at most the range's width, ${max - min}${unit && ` ${unit}`}`,
    });
  }
  return { ...options, kind, range: [min, max], precision, unit };
}

/** A range as it was given, if it is one. A bound beyond Float32 would let infinity through. */
function boundsOf(kind: string, range: unknown): Range {
  const bounds: readonly unknown[] = Array.isArray(range) ? range : [];
  const [min, max] = bounds;
  const areNumbers = typeof min === "number" && typeof max === "number" && bounds.length === 2;
  if (areNumbers && min < max && Number.isFinite(Math.fround(min)) && Number.isFinite(Math.fround(max))) {
    return [min, max];
  }
  throw new ConfigError({
    field: `${kind}.range`,
    value: bounds.length > 0 ? `[${bounds.join(", ")}]` : range,
    expected: "[min, max] with finite min < max, both within a Float32",
  });
}
