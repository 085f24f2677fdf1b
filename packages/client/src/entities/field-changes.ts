import { ConfigError, type Collection, type EntityDefinition, type Field } from "@paceline/protocol";
import { Listeners, type Unsubscribe } from "../listeners.js";

/**
 * Limit for listeners that change further fields. Changes after so many rounds wait for the next `review`.
 */
const MAX_ROUNDS = 10;

interface Watched {
  readonly field: Field;
  readonly listeners: Listeners<unknown[]>;
  last: unknown;
}

/** Reports changed fields of one entity to the game. Fields without a listener are not compared. */
export class FieldChanges {
  readonly #definition: EntityDefinition;
  readonly #entity: () => object;
  readonly #watched = new Map<string, Watched>();
  #isEmitting = false;
  #isEnded = false;

  constructor(definition: EntityDefinition, entity: () => object) {
    this.#definition = definition;
    this.#entity = entity;
  }

  /** True after {@link end}. */
  get isEnded(): boolean {
    return this.#isEnded;
  }

  /** Throws {@link ConfigError} for a name that is no field. */
  on(name: string, listener: (...change: never[]) => void): Unsubscribe {
    const watched = this.#watched.get(name) ?? this.#newWatched(name);
    const stop = watched.listeners.add(listener as (...change: unknown[]) => void);
    if (!this.#isEnded) this.#watched.set(name, watched);
    return () => {
      stop();
      if (watched.listeners.isEmpty && this.#watched.get(name) === watched) this.#watched.delete(name);
    };
  }

  /**
   * Reports the fields that have changed. Changes that a listener makes are reported after all listeners have
   * the first ones.
   */
  review(): void {
    if (this.#isEmitting || this.#watched.size === 0) return;
    this.#isEmitting = true;
    for (let round = 0; round < MAX_ROUNDS && this.#emitRound(); round++);
    this.#isEmitting = false;
  }

  /** Ends all subscriptions: the entity is gone. */
  end(): void {
    this.#isEnded = true;
    this.#watched.clear();
  }

  /** Reports the changes once. Returns false if nothing has changed. */
  #emitRound(): boolean {
    let hasChanged = false;
    for (const [name, watched] of Array.from(this.#watched)) {
      // A listener of another field may have ended this subscription.
      if (this.#watched.get(name) !== watched) continue;
      const { last: previous } = watched;
      const value = this.#valueOf(name, watched.field);
      const isList = "newSite" in watched.field;
      if (isList ? value === previous : isSame(value, previous)) continue;
      watched.last = value;
      // The one entity of a room has got another writer.
      if (isList) follow(watched);
      else {
        hasChanged = true;
        watched.listeners.emit(value, previous);
      }
    }
    return hasChanged;
  }

  #newWatched(name: string): Watched {
    const { name: kind, fields } = this.#definition;
    // Inherited names such as toString are no fields.
    const field = Object.hasOwn(fields, name) ? fields[name] : undefined;
    if (!field) throw new ConfigError(`${kind}.onChange`, name, `one of ${Object.keys(fields).join(", ")}`);
    const watched = { field, listeners: new Listeners<unknown[]>(), last: this.#valueOf(name, field) };
    if ("newSite" in field) follow(watched);
    return watched;
  }

  #valueOf(name: string, field: Field): unknown {
    return plainValue(field, (this.#entity() as Readonly<Record<string, unknown>>)[name]);
  }
}

/** Listens to a list or map of changing length, which reports its items itself. */
function follow({ listeners, last }: Watched): void {
  (last as Collection).listeners.add((...change) => listeners.emit(...change));
}

/** Returns a copy that does not change with the entity; a list or map of changing length itself. */
export function plainValue(field: Field, value: unknown): unknown {
  switch (field.kind) {
    case "vec2":
    case "vec3":
    case "quat":
      return { ...(value as object) };
    case "bytes":
      return (value as Uint8Array).slice();
    case "list":
      return Array.from(value as readonly unknown[], (item) => plainValue(field.item, item));
    case "group": {
      const members = value as Readonly<Record<string, unknown>>;
      const plain = Object.entries(field.fields).map(([name, of]) => [name, plainValue(of, members[name])]);
      return Object.fromEntries(plain);
    }
    default:
      return value;
  }
}

/** Compares plain values of one field. Only bytes can differ in length. */
function isSame(a: unknown, b: unknown): boolean {
  if (typeof a !== "object" || a === null || typeof b !== "object" || b === null) return a === b;
  const [left, right] = [Object.entries(a), b as Readonly<Record<string, unknown>>];
  return left.length === Object.keys(b).length && left.every(([name, value]) => isSame(value, right[name]));
}
