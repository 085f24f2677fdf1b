import {
  ConfigError,
  type EntityDefinition,
  type Field,
  type Fields,
  type FlagField,
  type Vec2Field,
  type Vec3Field,
} from "@paceline/protocol";
import { wrapAngle } from "./angle.js";
import type { Place } from "./entity-table.js";

/** Two components of an entity; writing one checks it against the field's range. */
export interface Vec2 {
  x: number;
  y: number;
  set(x: number, y: number): void;
}

/** Three components of an entity; writing one checks it against the field's range. */
export interface Vec3 {
  x: number;
  y: number;
  z: number;
  set(x: number, y: number, z: number): void;
}

type ValueOf<F extends Field> = F extends Vec2Field
  ? Vec2
  : F extends Vec3Field
    ? Vec3
    : F extends FlagField
      ? boolean
      : number;

type VectorNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends Vec2Field | Vec3Field ? Name : never;
}[keyof F];

/** An entity's fields as its owner sees them. Writes throw {@link ConfigError} for a value that is out of range. */
export type WritableFields<F extends Fields> = {
  -readonly [Name in Exclude<keyof F, VectorNames<F>>]: ValueOf<F[Name]>;
} & {
  readonly [Name in VectorNames<F>]: ValueOf<F[Name]>;
};

/** An entity's fields as everybody else sees them. */
export type ReadonlyFields<F extends Fields> = {
  readonly [Name in keyof F]: F[Name] extends Vec2Field | Vec3Field
    ? Readonly<ValueOf<F[Name]>>
    : ValueOf<F[Name]>;
};

/** Values to begin with, field by field; what is left out begins as near to zero as its range allows. */
export type InitialFields<F extends Fields> = {
  readonly [Name in keyof F]?: F[Name] extends Vec2Field
    ? { readonly x: number; readonly y: number }
    : F[Name] extends Vec3Field
      ? { readonly x: number; readonly y: number; readonly z: number }
      : F[Name] extends FlagField
        ? boolean
        : number;
};

/** What a view reads and writes: a place, in one of its table's arrays. */
export interface Row {
  readonly place: Readonly<Place>;
  readonly layer: "state" | "shown";
  readonly isWritable: boolean;
  /** Called before a read, so that what is read can be brought up to date. */
  readonly beforeRead?: (() => void) | undefined;
}

const axes = ["x", "y", "z"] as const;

/** Adds a property for every field of the definition to `target`, reading from and writing to `row`. */
export function defineFields<T extends object>(target: T, definition: EntityDefinition, row: Row): T {
  for (const [name, field] of Object.entries(definition.fields)) {
    const offset = definition.offsets[name]!;
    if (field.kind === "vec2" || field.kind === "vec3") {
      const vector = vectorView(name, field, offset, row);
      Object.defineProperty(target, name, {
        enumerable: true,
        get: () => vector,
        set: refuse(`${definition.name}.${name}`),
      });
    } else defineNumber(target, name, { path: name, field, offset }, row);
  }
  return target;
}

/** Writes initial values through a view, so that they are checked as any write. */
export function assignFields(
  view: object,
  definition: EntityDefinition,
  initial: Readonly<Record<string, unknown>>,
): void {
  for (const [name, value] of Object.entries(initial)) {
    // An object has names of its own, such as toString, that are no fields.
    const field = Object.hasOwn(definition.fields, name) ? definition.fields[name] : undefined;
    if (!field) {
      const expected = `one of ${Object.keys(definition.fields).join(", ")}`;
      throw new ConfigError({ field: `${definition.name}.${name}`, value, expected });
    }
    if (field.kind !== "vec2" && field.kind !== "vec3") {
      (view as Record<string, unknown>)[name] = value;
      continue;
    }
    const vector = (view as Record<string, Record<string, unknown>>)[name]!;
    for (const axis of axes.slice(0, field.kind === "vec2" ? 2 : 3)) {
      vector[axis] = (value as Record<string, unknown> | undefined)?.[axis];
    }
  }
}

function vectorView(name: string, field: Field, offset: number, row: Row): object {
  const vector = {};
  const used = axes.slice(0, field.kind === "vec2" ? 2 : 3);
  used.forEach((axis, index) => {
    defineNumber(vector, axis, { path: `${name}.${axis}`, field, offset: offset + index }, row);
  });
  Object.defineProperty(vector, "set", {
    value: (...values: unknown[]) => {
      // All are checked before any is written: a refused write changes nothing.
      const checked = used.map((axis, index) => checkedValue(`${name}.${axis}`, field, values[index], row));
      checked.forEach((value, index) => write(row, offset + index, value));
    },
  });
  return vector;
}

/** One number of a row: its name in errors, its kind and range, its place in the row. */
interface Column {
  readonly path: string;
  readonly field: Field;
  readonly offset: number;
}

function defineNumber(target: object, key: string, { path, field, offset }: Column, row: Row): void {
  const isFlag = field.kind === "flag";
  Object.defineProperty(target, key, {
    enumerable: true,
    get: () => {
      row.beforeRead?.();
      const { table, row: index } = row.place;
      const value = table[row.layer][index * table.width + offset]!;
      return isFlag ? value !== 0 : value;
    },
    set: (value: unknown) => {
      write(row, offset, checkedValue(path, field, value, row));
    },
  });
}

function write(row: Row, offset: number, value: number): void {
  const { table, row: index } = row.place;
  table[row.layer][index * table.width + offset] = value;
}

function checkedValue(path: string, field: Field, value: unknown, row: Row): number {
  const name = `${row.place.table.definition.name}.${path}`;
  if (!row.isWritable) return refuse(name)(value);
  if (field.kind === "flag") {
    if (typeof value !== "boolean") throw new ConfigError({ field: name, value, expected: "true or false" });
    return value ? 1 : 0;
  }
  if (field.kind === "angle") {
    if (typeof value !== "number" || !Number.isFinite(value)) {
      throw new ConfigError({ field: name, value, expected: "a finite number of rad" });
    }
    return wrapAngle(value);
  }
  const [min, max] = field.range;
  const isWhole = field.kind !== "int" || Number.isInteger(value);
  // NaN fails both comparisons.
  if (typeof value !== "number" || !(value >= min && value <= max) || !isWhole) {
    const expected =
      `a ${field.kind === "int" ? "whole " : ""}number from ${min} to ${max} ${field.unit}`.trim();
    throw new ConfigError({ field: name, value, expected });
  }
  return value;
}

function refuse(name: string): (value: unknown) => never {
  return (value) => {
    throw new ConfigError({ field: name, value, expected: "nothing: it cannot be assigned here" });
  };
}
