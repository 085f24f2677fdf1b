import type {
  BytesField,
  EnumField,
  GroupField,
  GrowingListField,
  ListField,
  MapField,
  StringField,
} from "./entity-composites.js";
import { ConfigError, checkKeys } from "../errors/errors.js";

/** Smallest and largest value, both included, in the field's unit. */
export type Range = readonly [min: number, max: number];

interface CommonOptions<Value> {
  /** Initial value. Default: the value nearest to zero. */
  readonly default?: Value;
}

interface RangedOptions<Value> extends CommonOptions<Value> {
  readonly range: Range;
  /** Step of the values on the wire, in the field's unit. Rounding adds an error of at most half a step. */
  readonly precision: number;
  /** Unit for errors and tables: "m", "m/s". */
  readonly unit?: string;
}

interface VectorOptions<Value> extends RangedOptions<Value> {
  /**
   * Name of the position whose rate of change this field is. Receivers derive the field: it takes no bits.
   */
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

// CONTRIBUTING.md lists what belongs to a new kind of field.
/** A field whose values are coded as numbers. */
export type NumericField =
  Vec2Field | Vec3Field | AngleField | ScalarField | IntField | UintField | FlagField | QuatField | EnumField;

/** A field whose values travel in states. */
export type StateField = NumericField | StringField | BytesField | ListField | GroupField;

/** Any field of an entity. */
export type Field = StateField | GrowingListField | MapField;

const ANGLE_OPTIONS = ["precision", "unit", "default"];
const WHOLE_OPTIONS = ["range", "unit", "default"];
const RANGED_OPTIONS = ["range", "precision", "unit", "default"];
const VECTOR_OPTIONS = [...RANGED_OPTIONS, "derivedFrom"];

/**
 * Declares two numbers of one range: `position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" })`.
 */
export function vec2(options: VectorOptions<Vec2Value>): Vec2Field {
  checkKeys("vec2", options, VECTOR_OPTIONS);
  return ranged("vec2", options);
}

/** Declares three numbers of one range. */
export function vec3(options: VectorOptions<Vec3Value>): Vec3Field {
  checkKeys("vec3", options, VECTOR_OPTIONS);
  return ranged("vec3", options);
}

/** Declares one number. */
export function scalar(options: RangedOptions<number>): ScalarField {
  checkKeys("scalar", options, RANGED_OPTIONS);
  return ranged("scalar", options);
}

/** Declares a direction in radians. It takes any finite value and wraps it into [-pi, pi). */
export function angle(
  options: { readonly precision: number; readonly unit: "rad" } & CommonOptions<number>,
): AngleField {
  checkKeys("angle", options, ANGLE_OPTIONS);
  if (options.unit !== "rad") throw new ConfigError("angle.unit", options.unit, `"rad"`);
  return ranged("angle", { ...options, range: [-Math.PI, Math.PI] });
}

/** Declares a rotation. Precision is an angle: the decoded rotation is off by at most half of it. */
export function quat(
  options: { readonly precision: number; readonly unit: "rad" } & CommonOptions<QuatValue>,
): QuatField {
  checkKeys("quat", options, ANGLE_OPTIONS);
  if (options.unit !== "rad") throw new ConfigError("quat.unit", options.unit, `"rad"`);
  if (!(options.precision >= 1e-6 && options.precision <= 1)) {
    throw new ConfigError("quat.precision", options.precision, "1e-6 to 1 rad");
  }
  return ranged("quat", { ...options, range: [-1, 1] });
}

interface IntOptions extends CommonOptions<number> {
  readonly range: Range;
  readonly unit?: string;
}

/** Declares a whole number. */
export function int(options: IntOptions): IntField {
  return whole("int", options);
}

/** Declares a whole number of 0 or more. */
export function uint(options: IntOptions): UintField {
  const field = whole("uint", options);
  if (field.range[0] >= 0) return field;
  throw new ConfigError("uint.range", field.range[0], "numbers from 0 on");
}

/** Declares a boolean. */
export function flag(options: CommonOptions<boolean> = {}): FlagField {
  checkKeys("flag", options, ["default"]);
  return { ...options, kind: "flag", range: [0, 1], precision: 1, unit: "" };
}

function whole<Kind extends "int" | "uint">(kind: Kind, options: IntOptions): FieldShape<Kind, number> {
  checkKeys(kind, options, WHOLE_OPTIONS);
  for (const bound of boundsOf(kind, options.range)) {
    if (!Number.isSafeInteger(bound) || Math.abs(bound) > 2 ** 24) {
      throw new ConfigError(`${kind}.range`, bound, "whole numbers within ±16777216");
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
    throw new ConfigError(
      `${kind}.precision`,
      precision,
      `a number above 0 and at most the range's width, ${max - min}${unit && ` ${unit}`}`,
    );
  }
  return { ...options, kind, range: [min, max], precision, unit };
}

/** Returns a valid range. Throws a ConfigError otherwise: a bound beyond Float32 would turn into infinity. */
function boundsOf(kind: string, range: unknown): Range {
  const bounds: readonly unknown[] = Array.isArray(range) ? range : [];
  const [min, max] = bounds;
  const areNumbers = typeof min === "number" && typeof max === "number" && bounds.length === 2;
  if (areNumbers && min < max && Number.isFinite(Math.fround(min)) && Number.isFinite(Math.fround(max))) {
    return [min, max];
  }
  throw new ConfigError(
    `${kind}.range`,
    bounds.length > 0 ? `[${bounds.join(", ")}]` : range,
    "[min, max] with finite min < max, both within a Float32",
  );
}
