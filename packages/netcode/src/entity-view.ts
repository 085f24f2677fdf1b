import {
  ConfigError,
  decodeUtf8,
  encodeUtf8,
  type EntityDefinition,
  type Field,
  type Fields,
  type Collection,
  type ItemList,
  type ItemMap,
  type GroupField,
  type GrowingListField,
  type ListField,
  type MapField,
  type QuatField,
  type Range,
  type ReadonlyItemList,
  type ReadonlyItemMap,
  type ValueOf,
  type Vec2Field,
  type Vec3Field,
} from "@paceline/protocol";
import { wrapAngle } from "./body/pose.js";
import type { Place } from "./entity-table.js";

/**
 * Two components of an entity. A value out of the field's range is clamped, or throws if the kind is strict.
 */
export interface Vec2 {
  x: number;
  y: number;
  set(x: number, y: number): void;
}

/** Three components of an entity, as in {@link Vec2}. */
export interface Vec3 {
  x: number;
  y: number;
  z: number;
  set(x: number, y: number, z: number): void;
}

/**
 * A rotation of an entity. Its components cannot be written one by one: `set` takes a quaternion of any
 * length but 0.
 */
export interface Quat {
  readonly x: number;
  readonly y: number;
  readonly z: number;
  readonly w: number;
  set(x: number, y: number, z: number, w: number): void;
}

/** Fields whose values are objects: the game writes their members, not the field. */
type Composite = Vec2Field | Vec3Field | QuatField | ListField | GroupField | GrowingListField | MapField;

type WritableValue<F> = F extends Vec2Field
  ? Vec2
  : F extends Vec3Field
    ? Vec3
    : F extends QuatField
      ? Quat
      : F extends ListField<infer Item>
        ? WritableItems<Item>
        : F extends GroupField<infer Members>
          ? WritableFields<Members>
          : F extends GrowingListField<infer Item>
            ? ItemList<ValueOf<Item>>
            : F extends MapField<infer Item>
              ? ItemMap<ValueOf<Item>>
              : ValueOf<F>;

/** A list of fixed length: items cannot be added or removed. */
type WritableItems<Item> = Item extends Composite
  ? readonly WritableValue<Item>[]
  : readonly WritableValue<Item>[] & { [index: number]: WritableValue<Item> };

type ReadonlyValue<F> = F extends Vec2Field
  ? Readonly<Vec2>
  : F extends Vec3Field
    ? Readonly<Vec3>
    : F extends QuatField
      ? Quat
      : F extends ListField<infer Item>
        ? readonly ReadonlyValue<Item>[]
        : F extends GroupField<infer Members>
          ? ReadonlyFields<Members>
          : F extends GrowingListField<infer Item>
            ? ReadonlyItemList<ValueOf<Item>>
            : F extends MapField<infer Item>
              ? ReadonlyItemMap<ValueOf<Item>>
              : ValueOf<F>;

type CompositeNames<F extends Fields> = {
  [Name in keyof F]: F[Name] extends Composite ? Name : never;
}[keyof F];

/**
 * An entity's fields as its owner sees them. Scalars and vectors out of range are clamped, angles wrapped.
 * Any other invalid value throws {@link ConfigError}. If the definition is strict, values out of range throw,
 * too.
 */
export type WritableFields<F extends Fields> = {
  -readonly [Name in Exclude<keyof F, CompositeNames<F>>]: WritableValue<F[Name]>;
} & {
  readonly [Name in CompositeNames<F>]: WritableValue<F[Name]>;
};

/** An entity's fields as other participants see them. */
export type ReadonlyFields<F extends Fields> = { readonly [Name in keyof F]: ReadonlyValue<F[Name]> };

/** Initial values by field. Omitted fields start with their default, or with the value nearest to zero. */
export type InitialFields<F extends Fields> = { readonly [Name in keyof F]?: InitialValue<F[Name]> };

type InitialValue<F> =
  F extends GroupField<infer Members>
    ? InitialFields<Members>
    : F extends MapField<infer Item>
      ? Iterable<readonly [string, ValueOf<Item>]> | Readonly<Record<string, ValueOf<Item>>>
      : ValueOf<F>;

/** The place that a view reads and writes, in one of its table's arrays. */
export interface Row {
  readonly place: Readonly<Place>;
  readonly layer: "state" | "shown";
  readonly isWritable: boolean;
  /** The entity's lists and maps of changing length, in the order of its definition. */
  readonly collections?: readonly Collection[] | undefined;
  /**
   * Brings the values up to date. Called before each read of shown values, and of a state while its place is
   * old.
   */
  readonly beforeRead?: (() => void) | undefined;
  /** Called after a write: once per `set` of a vector. */
  readonly afterWrite?: (() => void) | undefined;
  /** Called after a value was out of its range and the bound was written. */
  readonly onClamp?: ((clamp: Clamp) => void) | undefined;
}

/** A write of a value out of its field's range. */
export interface Clamp {
  /** Path of the field: `car.position.x`. */
  readonly field: string;
  readonly value: number;
  readonly range: Range;
  readonly unit: string;
}

/** The numbers and texts of a view. */
export interface Cells {
  readonly access: "checked" | "read" | "free";
  readonly collections?: Row["collections"];
  get(offset: number): number;
  set(offset: number, value: number): void;
  /** Writes several numbers, starting at `offset`. */
  setAll(offset: number, values: ArrayLike<number>): void;
  text(index: number): string | Uint8Array;
  setText(index: number, value: string | Uint8Array): void;
  readonly afterWrite?: Row["afterWrite"];
  readonly onClamp?: Row["onClamp"];
}

const axes = ["x", "y", "z", "w"] as const;
/** Buffers for the components of a vector during a write. */
const checkedFour = new Float64Array(4);
const checkedThree = checkedFour.subarray(0, 3);
const checkedTwo = checkedFour.subarray(0, 2);
const axisCounts: Readonly<Partial<Record<Field["kind"], number>>> = { vec2: 2, vec3: 3, quat: 4 };

/**
 * Adds a property for every field of the definition to `target`, which reads and writes `row`. A write to any
 * other name throws a TypeError from then on: a misspelt field must not become a property that nobody reads.
 */
export function defineFields<T extends object>(target: T, definition: EntityDefinition, row: Row): T {
  return Object.preventExtensions(fill(target, shapeOf(definition), new RowCells(row)));
}

/** Returns an object with nothing but a property for every field of the definition. */
export function newFields(definition: EntityDefinition, row: Row): object {
  return newCells(definition, new RowCells(row));
}

/** As {@link newFields}, over any storage. Writes to `free` cells are not checked. */
export function newCells(definition: EntityDefinition, cells: Cells): object {
  return newView(shapeOf(definition), cells);
}

function shapeOf(definition: EntityDefinition): Shape {
  const shape = shapes.get(definition) ?? newShape(definition, definition.fields);
  shapes.set(definition, shape);
  return shape;
}

/** Writes initial values through a view, with the same checks as other writes. */
export function assignFields(
  view: object,
  definition: EntityDefinition,
  initial: Readonly<Record<string, unknown>>,
): void {
  assignMembers(view as Members, definition.name, definition.fields, initial);
}

type Members = Record<string, unknown>;

function assignMembers(view: Members, path: string, fields: Fields, values: unknown): void {
  for (const [name, value] of Object.entries(values ?? {})) {
    // Every object has inherited names, such as toString, that are not fields.
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) throw new ConfigError(`${path}.${name}`, value, `one of ${Object.keys(fields).join(", ")}`);
    // As in messages and options, an undefined member is left out.
    if (value === undefined) continue;
    assign(view, name, { path: `${path}.${name}`, field }, value);
  }
}

function assign(
  view: Members,
  key: string,
  { path, field }: { readonly path: string; readonly field: Field },
  value: unknown,
): void {
  const part = view[key] as Members;
  switch (field.kind) {
    case "vec2":
    case "vec3":
    case "quat": {
      const count = axisCounts[field.kind];
      const [known, others] = [axes.slice(0, count), axes.slice(count)];
      const given = (value ?? {}) as Members;
      // Objects of an engine may have further properties, but a `z` that nobody sees is a mistake.
      const lost = others.find((axis) => Object.hasOwn(given, axis) && given[axis] !== undefined);
      if (lost) throw new ConfigError(`${path}.${lost}`, given[lost], `one of ${known.join(", ")}`);
      (part as { set(...values: unknown[]): void }).set(...known.map((axis) => given[axis]));
      return;
    }
    case "group":
      return assignMembers(part, path, field.fields, value);
    case "growing":
    case "map":
      return (part as unknown as Collection).fill(value);
    case "list": {
      const { item, length } = field;
      if (!Array.isArray(value) || value.length !== length) {
        throw new ConfigError(path, value, `a list of ${length}`);
      }
      value.forEach((each, index) =>
        assign(part, String(index), { path: `${path}.${index}`, field: item }, each),
      );
      return;
    }
    default:
      view[key] = value;
  }
}

interface Site {
  readonly definition: EntityDefinition;
  readonly path: string;
  readonly field: Field;
}

const CELLS = Symbol("cells");
const PARTS = Symbol("parts");

/** Hidden parts of a view: its storage, and the views of its composite fields. */
interface Backed {
  readonly [CELLS]: Cells;
  readonly [PARTS]: readonly (object | undefined)[];
}

/**
 * The properties of all views of a kind, and the factories for the views of their composite fields, in the
 * order of {@link PARTS}.
 */
interface Shape {
  readonly properties: PropertyDescriptorMap & ThisType<Backed>;
  readonly newParts: readonly NewPart[];
  /**
   * Of its own, because V8 makes a hash table of an object if an earlier one with the same prototype got
   * another getter of the same name, such as `x`.
   */
  readonly prototype: object;
}

/** Undefined: the storage has no lists and maps of changing length. */
type NewPart = (cells: Cells) => object | undefined;
type Property = PropertyDescriptor & ThisType<Backed>;

/**
 * Properties by definition. Engines read a property fast if all objects at that place in the code share one
 * getter, and ten times slower if each object has its own. So views share getters, which find the storage
 * through `this`.
 */
const shapes = new WeakMap<EntityDefinition, Shape>();

function newView(shape: Shape, cells: Cells): object {
  return Object.preventExtensions(fill(Object.create(shape.prototype) as object, shape, cells));
}

function fill<T extends object>(target: T, { properties, newParts }: Shape, cells: Cells): T {
  const parts = newParts.map((newPart) => newPart(cells));
  Object.defineProperty(target, CELLS, { configurable: true, value: cells });
  Object.defineProperty(target, PARTS, { configurable: true, value: parts });
  return Object.defineProperties(target, properties);
}

/** @param path prefix of the fields' paths, with a trailing dot, or empty */
function newShape(definition: EntityDefinition, fields: Fields, path = ""): Shape {
  const properties: PropertyDescriptorMap = {};
  const newParts: NewPart[] = [];
  for (const [key, field] of Object.entries(fields)) {
    const site = { definition, path: path + key, field };
    const newPart = partOf(site);
    if (newPart) properties[key] = compositeProperty(site, newParts.push(newPart) - 1);
    else if (field.kind === "string" || field.kind === "bytes") properties[key] = textProperty(site);
    else properties[key] = numberProperty(site, definition.offsets[site.path]!);
  }
  return { properties, newParts, prototype: {} };
}

function compositeProperty(site: Site, part: number): Property {
  const hasSet = site.field.kind in axisCounts;
  return {
    enumerable: true,
    get() {
      return this[PARTS][part];
    },
    set: refuse(nameOf(site), `nothing: write its parts${hasSet ? ", or all of them with set(...)" : ""}`),
  };
}

/** Returns a factory for the view of a composite field, or undefined for other fields. */
function partOf(site: Site): NewPart | undefined {
  const { definition, path, field } = site;
  const count = axisCounts[field.kind];
  if (count !== undefined) {
    const shape = vectorShape(site, count);
    return (cells) => newView(shape, cells);
  }
  if (field.kind === "group") {
    const shape = newShape(definition, field.fields, `${path}.`);
    return (cells) => newView(shape, cells);
  }
  if (field.kind === "growing" || field.kind === "map") {
    const index = definition.collections.findIndex(({ name }) => name === path);
    return (cells) => cells.collections?.[index];
  }
  if (field.kind !== "list") return undefined;
  const items = Object.fromEntries(Array.from({ length: field.length }, (_, index) => [index, field.item]));
  const shape = newShape(definition, items, `${path}.`);
  return (cells) => Object.preventExtensions(fill([], shape, cells));
}

function vectorShape(site: Site, count: number): Shape {
  const { definition, path, field } = site;
  const offset = definition.offsets[path]!;
  const isQuat = field.kind === "quat";
  const parts = axes.slice(0, count).map((axis) => ({ ...site, path: `${path}.${axis}` }));
  const properties: PropertyDescriptorMap = {};
  parts.forEach((part, index) => {
    properties[axes[index]!] = numberProperty(part, offset + index, isQuat);
  });
  properties["set"] = { value: vectorSetter(site, parts, offset) };
  return { properties, newParts: [], prototype: {} };
}

/**
 * Returns a `set` that allocates nothing, because games call it for every entity and frame. Engines allocate
 * a fraction that is passed between functions, so the numbers go into a reused array.
 */
function vectorSetter(
  site: Site,
  [first, second, third, fourth]: readonly Site[],
  offset: number,
): (this: Backed, x: unknown, y: unknown, z?: unknown, w?: unknown) => void {
  const checked = fourth ? checkedFour : third ? checkedThree : checkedTwo;
  return function set(x, y, z, w) {
    const cells = this[CELLS];
    // Check all numbers before writing any: a refused write changes nothing.
    const a = checkedNumber(first!, cells, x);
    const b = checkedNumber(second!, cells, y);
    const c = third ? checkedNumber(third, cells, z) : 0;
    const d = fourth ? checkedNumber(fourth, cells, w) : 0;
    checked[0] = a;
    checked[1] = b;
    // Writing beyond a typed array's end has no effect, but is slow.
    if (third) checked[2] = c;
    if (fourth) checked[3] = d;
    if (fourth) makeUnit(site, checked);
    cells.setAll(offset, checked);
    cells.afterWrite?.();
  };
}

function makeUnit(site: Site, quat: Float64Array): void {
  const length = Math.hypot(...quat);
  if (!(length > 0)) refused(site, [...quat], "a quaternion that is not 0");
  for (let index = 0; index < 4; index++) quat[index]! /= length;
}

/** @param isPart true for a component of a rotation: in checked views it cannot be written alone */
function numberProperty(site: Site, offset: number, isPart = false): Property {
  const { field } = site;
  const names = field.kind === "enum" ? field.values : undefined;
  const isFlag = field.kind === "flag";
  return {
    enumerable: true,
    get() {
      const value = this[CELLS].get(offset);
      if (names) return names[value];
      return isFlag ? value !== 0 : value;
    },
    set(value: unknown) {
      const cells = this[CELLS];
      if (isPart && cells.access !== "free") refuse(nameOf(site))(value);
      cells.set(offset, checkedNumber(site, cells, value));
      cells.afterWrite?.();
    },
  };
}

function textProperty(site: Site): Property {
  const { definition, path } = site;
  const index = definition.leaves.find((leaf) => leaf.path === path)!.offset;
  return {
    enumerable: true,
    get() {
      return this[CELLS].text(index);
    },
    set(value: unknown) {
      const cells = this[CELLS];
      cells.setText(index, checkedText(site, cells, value));
      cells.afterWrite?.();
    },
  };
}

class RowCells implements Cells {
  readonly access: Cells["access"];
  readonly collections: Row["collections"];
  readonly afterWrite: Row["afterWrite"];
  readonly onClamp: Row["onClamp"];
  readonly #place: Row["place"];
  readonly #layer: Row["layer"];
  readonly #beforeRead: Row["beforeRead"];

  constructor({ place, layer, isWritable, collections, beforeRead, afterWrite, onClamp }: Row) {
    this.access = isWritable ? "checked" : "read";
    this.collections = collections;
    this.afterWrite = afterWrite;
    this.onClamp = onClamp;
    this.#place = place;
    this.#layer = layer;
    this.#beforeRead = beforeRead;
  }

  get(offset: number): number {
    const place = this.#place;
    const isShown = this.#layer === "shown";
    // Most reads find a row that is up to date, and a call costs more than the read.
    if (isShown || place.isOld) this.#beforeRead?.();
    const { table, row } = place;
    return (isShown ? table.shown : table.state)[row * table.width + offset]!;
  }

  set(offset: number, value: number): void {
    const { table, row } = this.#place;
    table[this.#layer][row * table.width + offset] = value;
  }

  setAll(offset: number, values: ArrayLike<number>): void {
    const { table, row } = this.#place;
    table[this.#layer].set(values, row * table.width + offset);
  }

  text(index: number): string | Uint8Array {
    this.#beforeRead?.();
    const { table, row } = this.#place;
    return table.textsOf(row)[index]!;
  }

  setText(index: number, value: string | Uint8Array): void {
    const { table, row } = this.#place;
    table.textsOf(row)[index] = value;
  }
}

function checkedNumber(site: Site, cells: Cells, value: unknown): number {
  const { field } = site;
  if (cells.access === "read") return refuse(nameOf(site))(value);
  if (field.kind === "enum") {
    const index = field.values.indexOf(value as string);
    return index >= 0 ? index : refused(site, value, `one of ${field.values.join(", ")}`);
  }
  if (cells.access === "free") return field.kind === "angle" ? wrapAngle(Number(value)) : Number(value);
  switch (field.kind) {
    case "flag":
      return typeof value === "boolean" ? Number(value) : refused(site, value, "true or false");
    case "angle":
      return isFinite(value) ? wrapAngle(value) : refused(site, value, "a finite number of rad");
    case "quat":
      return isFinite(value) ? value : refused(site, value, "a finite number");
    default:
      return checkedRange(site, cells, value);
  }
}

function checkedRange(site: Site, cells: Cells, value: unknown): number {
  const { kind, unit, range } = site.field;
  const [min, max] = range;
  const mustBeWhole = kind === "int" || kind === "uint";
  // NaN fails all comparisons.
  const isWithin = typeof value === "number" && value >= min && value <= max;
  if (isWithin && (!mustBeWhole || Number.isInteger(value))) return value;
  if (typeof value === "number" && !Number.isNaN(value) && !mustBeWhole) {
    const bound = value < min ? min : max;
    // A written bound is stored as a 32-bit float, which may lie beyond the bound.
    if (Math.fround(value) === Math.fround(bound)) return bound;
    if (!site.definition.isStrict) {
      cells.onClamp?.({ field: nameOf(site), value, range, unit });
      return bound;
    }
  }
  return refused(site, value, `a ${mustBeWhole ? "whole " : ""}number from ${min} to ${max} ${unit}`.trim());
}

function isFinite(value: unknown): value is number {
  return typeof value === "number" && Number.isFinite(value);
}

function refused(site: Site, value: unknown, expected: string): never {
  throw new ConfigError(nameOf(site), value, expected);
}

function checkedText(site: Site, cells: Cells, value: unknown): string | Uint8Array {
  const { field } = site;
  if (cells.access === "read") return refuse(nameOf(site))(value);
  const maxBytes = "maxBytes" in field ? field.maxBytes : 0;
  if (field.kind === "bytes") {
    if (value instanceof Uint8Array && value.length <= maxBytes) return value.slice();
    throw new ConfigError(nameOf(site), value, `at most ${maxBytes} bytes`);
  }
  if (typeof value === "string") {
    const encoded = encodeUtf8(value);
    if (encoded.length <= maxBytes && decodeUtf8(encoded) === value) return value;
  }
  const expected = `text of at most ${maxBytes} bytes of UTF-8, without halves of surrogate pairs`;
  throw new ConfigError(nameOf(site), value, expected);
}

function nameOf({ definition, path }: Site): string {
  return `${definition.name}.${path}`;
}

function refuse(name: string, expected = "nothing: it cannot be assigned here"): (value: unknown) => never {
  return (value) => {
    throw new ConfigError(name, value, expected);
  };
}
