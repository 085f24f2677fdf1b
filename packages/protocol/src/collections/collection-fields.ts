import { ConfigError, checkKeys } from "../errors/errors.js";
import { ComponentList } from "../schema/entity-components.js";
import {
  assertItem,
  type CollectionSite,
  MAX_KEY_BYTES,
  UNRANGED,
  type GrowingListField,
  type ListField,
  type MapField,
} from "../schema/entity-composites.js";
import { describeLeaf, hashOf } from "../schema/entity-definition.js";
import type { Field } from "../schema/entity-fields.js";
import { listCode } from "./collection-code.js";
import { newConstants, OwnCollections } from "./collections.js";
import { CollectionReader } from "./collection-reader.js";
import { CollectionSender } from "./collection-sender.js";
import { itemCodec } from "./item-codec.js";

/** Limit of items of a list or map. */
const MAX_ITEMS = 4096;
/** Limit of a list or map at its longest, bytes. */
const MAX_BYTES = 131_072;

/** Options of a list or map of changing length. */
export interface CollectionOptions {
  /** Limit of items, 1 to 4096. */
  readonly max: number;
  /** Only the owner of the entity gets it, and in a room between players nobody else. Default: everybody does. */
  readonly visibleTo?: "owner";
}

/** Declares a fixed number of equal fields: `list(flag(), 4)`. */
export function list<Item extends Field>(item: Item, length: number): ListField<Item>;
/**
 * Declares a list of changing length: `list(enumOf(["sword", "bow"]), { max: 20 })`. Its changes travel as reliable
 * messages, not in states.
 */
export function list<Item extends Field>(item: Item, options: CollectionOptions): GrowingListField<Item>;
export function list<Item extends Field>(
  item: Item,
  size: number | CollectionOptions,
): ListField<Item> | GrowingListField<Item> {
  assertItem("list.item", item);
  if (typeof size === "object" && size !== null)
    return { ...UNRANGED, ...size, kind: "growing", item, max: checkedMax("list", item, size), newSite };
  if (Number.isInteger(size) && size >= 1 && size <= 256)
    return { ...UNRANGED, kind: "list", item, length: size };
  throw new ConfigError("list.length", size, "a whole number from 1 to 256, or { max }");
}

/**
 * Declares a map with texts as keys, of at most 64 bytes each: `map(uint({ range: [0, 99] }), { max: 100 })`. Its
 * changes travel as reliable messages, not in states.
 */
export function map<Item extends Field>(item: Item, options: CollectionOptions): MapField<Item> {
  assertItem("map.item", item);
  return {
    ...UNRANGED,
    ...options,
    kind: "map",
    item,
    max: checkedMax("map", item, options, 1 + MAX_KEY_BYTES),
    newSite,
  };
}

/** Describes a list or map by all on which both sides must agree, as its tag. */
function newSite(
  definition: string,
  name: string,
  field: GrowingListField | MapField,
  before: readonly CollectionSite[],
): CollectionSite {
  const path = `${definition}.${name}`;
  const items = new ComponentList();
  items.add("", field.item);
  const described = [name, field.kind, field.max, ...items.leaves.map(describeLeaf)].join("|");
  const tag = hashOf(described) & 0xffff || 1;
  const other = before.find((each) => each.tag === tag);
  if (other) throw new ConfigError(path, other.path, "a name whose number differs from that of another list");
  return { name, path, field, tag };
}

function checkedMax(name: string, item: Field, options: CollectionOptions, keyBytes = 1): number {
  checkKeys(name, options, ["max", "visibleTo"]);
  const { max, visibleTo } = options;
  if (visibleTo !== undefined && visibleTo !== "owner")
    throw new ConfigError(`${name}.visibleTo`, visibleTo, `"owner", or nothing`);
  if (!Number.isInteger(max) || max < 1 || max > MAX_ITEMS)
    throw new ConfigError(`${name}.max`, max, `a whole number from 1 to ${MAX_ITEMS}`);
  const bytes = max * (keyBytes + itemCodec(`${name}.item`, item).maxBytes);
  if (bytes > MAX_BYTES)
    throw new ConfigError(`${name}.max`, bytes, `at most ${MAX_BYTES} bytes at its longest`);
  listCode.inUse = { newConstants, OwnCollections, CollectionReader, CollectionSender };
  return max;
}
