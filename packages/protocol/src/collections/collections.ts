import { ConfigError } from "../errors/errors.js";
import type { EntityDefinition } from "../schema/entity-definition.js";
import type { Collection, CollectionBudget, CollectionHost } from "./collection.js";
import { ItemList } from "./item-list.js";
import { ItemMap } from "./item-map.js";

/** Returns the empty lists and maps of an entity, in the order of its definition. */
export function newCollections(
  { collections }: Pick<EntityDefinition, "collections">,
  host: CollectionHost,
): readonly Collection[] {
  return collections.map((site) =>
    site.field.kind === "map" ? new ItemMap(site, host) : new ItemList(site, host),
  );
}

/** Returns a host whose lists and maps only the network changes. */
export function hostOf(budget: CollectionBudget): CollectionHost {
  return { budget, admits: refuse };
}

function refuse(field: string, value: unknown): never {
  throw new ConfigError(field, value, "nothing: only the owner of the entity changes it");
}
