import { ConfigError, checkKeys } from "../errors/errors.js";
import { hostOf, newCollections } from "./collections.js";
import {
  assertItem,
  MAX_KEY_BYTES,
  UNRANGED,
  type GrowingListField,
  type ListField,
  type MapField,
} from "../schema/entity-composites.js";
import type { Field } from "../schema/entity-fields.js";
import { useCollections } from "./collection-code.js";
import { CollectionReader } from "./collection-reader.js";
import { CollectionSender } from "./collection-sender.js";
import { itemCodec } from "./item-codec.js";

/** Limit of items of a list or map. */
const MAX_ITEMS = 4096;
/** Limit of a list or map at its longest, bytes. */
const MAX_BYTES = 131_072;

/** Declares a fixed number of equal fields: `list(flag(), 4)`. */
export function list<Item extends Field>(item: Item, length: number): ListField<Item>;
/**
 * Declares a list of changing length: `list(enumOf(["sword", "bow"]), { max: 20 })`. Its changes travel as reliable
 * messages, not in states.
 */
export function list<Item extends Field>(
  item: Item,
  options: { readonly max: number },
): GrowingListField<Item>;
export function list<Item extends Field>(
  item: Item,
  size: number | { readonly max: number },
): ListField<Item> | GrowingListField<Item> {
  assertItem("list.item", item);
  if (typeof size === "object" && size !== null)
    return { ...UNRANGED, kind: "growing", item, max: checkedMax("list", item, size) };
  if (Number.isInteger(size) && size >= 1 && size <= 256)
    return { ...UNRANGED, kind: "list", item, length: size };
  throw new ConfigError("list.length", size, "a whole number from 1 to 256, or { max }");
}

/**
 * Declares a map with texts as keys, of at most 64 bytes each: `map(uint({ range: [0, 99] }), { max: 100 })`. Its
 * changes travel as reliable messages, not in states.
 */
export function map<Item extends Field>(item: Item, options: { readonly max: number }): MapField<Item> {
  assertItem("map.item", item);
  return { ...UNRANGED, kind: "map", item, max: checkedMax("map", item, options, 1 + MAX_KEY_BYTES) };
}

function checkedMax(name: string, item: Field, options: { readonly max: number }, keyBytes = 1): number {
  checkKeys(name, options, ["max"]);
  const { max } = options;
  if (!Number.isInteger(max) || max < 1 || max > MAX_ITEMS)
    throw new ConfigError(`${name}.max`, max, `a whole number from 1 to ${MAX_ITEMS}`);
  const bytes = max * (keyBytes + itemCodec(`${name}.item`, item).maxBytes);
  if (bytes > MAX_BYTES)
    throw new ConfigError(`${name}.max`, bytes, `at most ${MAX_BYTES} bytes at its longest`);
  useCollections({ newCollections, hostOf, CollectionReader, CollectionSender });
  return max;
}
