import type { Field } from "./entity-fields.js";
import { ConfigError, checkKeys } from "../errors/errors.js";

/** Common properties of fields that are not plain numbers. Their range does not come from the game. */
interface Shape<Kind extends string> {
  readonly kind: Kind;
  readonly range: readonly [number, number];
  readonly precision: number;
  readonly unit: string;
}

export interface EnumField<Name extends string = string> extends Shape<"enum"> {
  readonly values: readonly Name[];
  readonly default?: Name;
}

export interface StringField extends Shape<"string"> {
  readonly maxBytes: number;
  readonly default?: string;
}

export interface BytesField extends Shape<"bytes"> {
  readonly maxBytes: number;
}

export interface ListField<Item extends Field = Field> extends Shape<"list"> {
  readonly item: Item;
  readonly length: number;
}

/** A list or map of changing length of a definition. Its changes travel as reliable messages. */
export interface CollectionSite {
  readonly name: string;
  /** `player.inventory`, for errors. */
  readonly path: string;
  readonly field: GrowingListField | MapField;
  /** Number that stands for the field in messages, 1 to 65535: equal fields have equal numbers. */
  readonly tag: number;
}

/** Makes the site of a field. It comes with the field, so that games without lists do not download it. */
type NewSite = (
  definition: string,
  name: string,
  field: GrowingListField | MapField,
  before: readonly CollectionSite[],
) => CollectionSite;

/** A list of changing length: no part of states. */
export interface GrowingListField<Item extends Field = Field> extends Shape<"growing"> {
  readonly item: Item;
  /** Limit of items. */
  readonly max: number;
  /** Only the owner of the entity gets it. Default: everybody does. */
  readonly visibleTo?: "owner";
  readonly newSite: NewSite;
}

/** A map with texts as keys: no part of states. */
export interface MapField<Item extends Field = Field> extends Shape<"map"> {
  readonly item: Item;
  /** Limit of keys. */
  readonly max: number;
  /** Only the owner of the entity gets it. Default: everybody does. */
  readonly visibleTo?: "owner";
  readonly newSite: NewSite;
}

export interface GroupField<
  Members extends Readonly<Record<string, Field>> = Readonly<Record<string, Field>>,
> extends Shape<"group"> {
  readonly fields: Members;
}

/** Limit of a key of a map, bytes of UTF-8. */
export const MAX_KEY_BYTES = 64;
export const UNRANGED = { range: [0, 0], precision: 0, unit: "" } as const;
const MAX_NAMES = 1024;
/** A changed text travels whole in every packet until it is acknowledged, so it must stay small. */
const MAX_TEXT_BYTES = 255;

/** Declares a field that holds one of a few names: `enumOf(["idle", "run", "fall"])`. */
export function enumOf<const Names extends readonly string[]>(
  values: Names,
  options: { readonly default?: Names[number] } = {},
): EnumField<Names[number]> {
  const isList = Array.isArray(values) && values.every((value) => typeof value === "string");
  if (!isList || values.length < 2 || values.length > MAX_NAMES || new Set(values).size < values.length) {
    throw new ConfigError("enumOf.values", values, `2 to ${MAX_NAMES} different names`);
  }
  checkKeys("enumOf", options, ["default"]);
  if (options.default !== undefined && !values.includes(options.default)) {
    throw new ConfigError("enumOf.default", options.default, values.join(", "));
  }
  return { ...options, kind: "enum", values, range: [0, values.length - 1], precision: 1, unit: "" };
}

/** Declares a short text that rarely changes, such as a name. */
export function string(options: { readonly maxBytes: number; readonly default?: string }): StringField {
  checkKeys("string", options, ["maxBytes", "default"]);
  return { ...UNRANGED, ...options, kind: "string", maxBytes: textLimit("string", options.maxBytes) };
}

/** Declares a few bytes that rarely change. */
export function bytes(options: { readonly maxBytes: number }): BytesField {
  checkKeys("bytes", options, ["maxBytes"]);
  return { ...UNRANGED, kind: "bytes", maxBytes: textLimit("bytes", options.maxBytes) };
}

/** Declares fields under a common name: `wheel: group({ turn: angle(...), slip: flag() })`. */
export function group<const Members extends Readonly<Record<string, Field>>>(
  fields: Members,
): GroupField<Members> {
  if (typeof fields !== "object" || fields === null || Object.keys(fields).length === 0) {
    throw new ConfigError("group", fields, "at least one field");
  }
  for (const [name, field] of Object.entries(fields)) assertItem(`group.${name}`, field);
  return { ...UNRANGED, kind: "group", fields };
}

/** Throws a ConfigError unless `field` comes from a function such as `scalar` or `list`. */
export function assertField(name: string, field: unknown): void {
  if (typeof field === "object" && field !== null && "kind" in field && "range" in field) return;
  throw new ConfigError(name, field, "a field, such as flag() or scalar({ range, precision })");
}

/** Throws as {@link assertField} does, and for a field that is no part of states. */
export function assertItem(name: string, field: unknown): asserts field is Field {
  assertField(name, field);
  const { kind } = field as Field;
  if (kind !== "growing" && kind !== "map") return;
  throw new ConfigError(
    name,
    `a ${kind === "map" ? "map" : "list"} of changing length`,
    "another kind of field",
  );
}

function textLimit(kind: string, maxBytes: unknown): number {
  if (
    typeof maxBytes === "number" &&
    Number.isInteger(maxBytes) &&
    maxBytes >= 1 &&
    maxBytes <= MAX_TEXT_BYTES
  ) {
    return maxBytes;
  }
  throw new ConfigError(`${kind}.maxBytes`, maxBytes, `a whole number from 1 to ${MAX_TEXT_BYTES}`);
}
