import { ConfigError } from "../errors/errors.js";
import { limits } from "../limits.js";
import type { EntityDefinition } from "../schema/entity-definition.js";
import { CollectionBudget, type Collection, type CollectionHost } from "./collection.js";
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

/** Returns empty lists and maps that never change. */
export function newConstants(definition: EntityDefinition): readonly Collection[] {
  return newCollections(definition, hostOf(new CollectionBudget(0)));
}

function refuse(field: string, value: unknown): never {
  throw new ConfigError(field, value, "nothing: only the owner of the entity changes it");
}

/** The lists and maps of the entities that a participant owns. */
export class OwnCollections {
  readonly #budget = new CollectionBudget(limits.collectionBytes);

  /** Adds those of an entity. `assertPresent` throws if the entity is gone. */
  add(definition: EntityDefinition, assertPresent: () => void): readonly Collection[] {
    const admits = (): boolean => {
      assertPresent();
      return true;
    };
    return newCollections(definition, { budget: this.#budget, admits });
  }

  /** The entity is gone. */
  remove(collections: readonly Collection[]): void {
    for (const { bytes } of collections) this.#budget.bytes -= bytes;
  }
}
