import { ConfigError } from "./errors.js";

/** Smallest and largest value, both included, in the field's unit. */
export type Range = readonly [min: number, max: number];

interface RangedOptions {
  readonly range: Range;
  /** Largest error that the wire may add, in the field's unit. */
  readonly precision: number;
  /** Printed in errors and tables: "m", "m/s". */
  readonly unit?: string;
}

interface FieldShape<Kind extends string> {
  readonly kind: Kind;
  readonly range: Range;
  readonly precision: number;
  readonly unit: string;
}

export type Vec2Field = FieldShape<"vec2">;
export type Vec3Field = FieldShape<"vec3">;
export type AngleField = FieldShape<"angle">;
export type ScalarField = FieldShape<"scalar">;
export type IntField = FieldShape<"int">;
export type FlagField = FieldShape<"flag">;

/** What one field of an entity may be. */
export type Field = Vec2Field | Vec3Field | AngleField | ScalarField | IntField | FlagField;

/** Two numbers of one range: `position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" })`. */
export function vec2(options: RangedOptions): Vec2Field {
  return ranged("vec2", options);
}

/** Three numbers of one range. */
export function vec3(options: RangedOptions): Vec3Field {
  return ranged("vec3", options);
}

/** One number. */
export function scalar(options: RangedOptions): ScalarField {
  return ranged("scalar", options);
}

/** A direction in radians. Any finite value may be written; it is kept in [-pi, pi). */
export function angle(options: { readonly precision: number; readonly unit: "rad" }): AngleField {
  if (options.unit !== "rad") {
    throw new ConfigError({ field: "angle.unit", value: options.unit, expected: `"rad"` });
  }
  return ranged("angle", { ...options, range: [-Math.PI, Math.PI] });
}

/** A whole number. */
export function int(options: { readonly range: Range; readonly unit?: string }): IntField {
  for (const bound of boundsOf("int", options.range)) {
    if (!Number.isSafeInteger(bound) || Math.abs(bound) > 2 ** 24) {
      throw new ConfigError({ field: "int.range", value: bound, expected: "whole numbers within ±16777216" });
    }
  }
  return ranged("int", { ...options, precision: 1 });
}

/** True or false. */
export function flag(): FlagField {
  return { kind: "flag", range: [0, 1], precision: 1, unit: "" };
}

function ranged<Kind extends string>(kind: Kind, options: RangedOptions): FieldShape<Kind> {
  const { precision, unit = "" } = options;
  const [min, max] = boundsOf(kind, options.range);
  if (!Number.isFinite(precision) || precision <= 0 || precision > max - min) {
    throw new ConfigError({
      field: `${kind}.precision`,
      value: precision,
      expected: `a number above 0 and at most the range's width, ${max - min}${unit && ` ${unit}`}`,
    });
  }
  return { kind, range: [min, max], precision, unit };
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
