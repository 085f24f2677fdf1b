import { ConfigError, NetError, type EntityDefinition, type ErrorCode } from "@paceline/protocol";
import type { Clamp, MotionFault } from "@paceline/netcode";
import { EntityEvents } from "../entities/entity-events.js";
import { Listeners } from "../listeners.js";
import type { MessageLoss, Peer } from "../peers/peer.js";

/** The room's events for its game, in every mode, and the kinds of entities that the game uses. */
export class RoomListeners {
  readonly joins = new Listeners<[Peer]>();
  readonly leaves = new Listeners<[Peer, MessageLoss]>();
  readonly absences = new Listeners<[Peer]>();
  readonly returns = new Listeners<[Peer]>();
  readonly resets = new Listeners<[Peer, MessageLoss]>();
  readonly states = new Listeners<[number]>();
  /** Numbers of the peers that do not get a message to all, because their queues are full. */
  readonly skips = new Listeners<[readonly number[]]>();
  readonly errors = new Listeners<[NetError]>();
  readonly entities = new EntityEvents();
  readonly #definitions = new Map<string, EntityDefinition>();
  readonly #warned = new Set<ErrorCode>();
  readonly #clamped = new Set<string>();

  /** Removes the listeners, after the game's last event. */
  clear(): void {
    for (const each of Object.values(this) as Listeners<[]>[]) each.clear();
  }

  get definitions(): Iterable<EntityDefinition> {
    return this.#definitions.values();
  }

  definitionNamed(name: string): EntityDefinition | undefined {
    return this.#definitions.get(name);
  }

  /**
   * Adds a kind that the game uses. Returns false if it is known. Throws {@link ConfigError} for a second
   * definition of a name.
   */
  use(definition: EntityDefinition): boolean {
    assertDefinition(definition);
    const known = this.#definitions.get(definition.name);
    if (known === definition) return false;
    if (known) throw new ConfigError("definition", definition.name, "one definition of a name per room");
    this.#definitions.set(definition.name, definition);
    return true;
  }

  /**
   * Reports an error that does not end the room. Without a listener, the first error of each code goes to the
   * console.
   */
  report(error: NetError): void {
    this.errors.emit(error);
    if (!this.errors.isEmpty || this.#warned.has(error.code)) return;
    this.#warned.add(error.code);
    // oxlint-disable-next-line no-console -- the game has no listener for errors
    console.warn(`paceline: ${error.message}; room.onError(...) hears of all such errors`);
  }

  /** Reports that another side describes a kind of entity with other columns. */
  differs(name: string, who: string, differences: readonly string[]): void {
    const how =
      differences.length > 0 ? differences.join(", ") : "in what moves it, or in its lists and maps";
    const message = `${who} describes "${name}" differently (${how}): load the same build of the game everywhere`;
    this.report(new NetError("schema/mismatch", message));
  }

  /** Reports a value out of its range, once for each field, since the game may write it in every frame. */
  clamped({ field, value, range: [min, max], unit }: Clamp): void {
    if (this.#clamped.has(field)) return;
    this.#clamped.add(field);
    const message = `${field}: ${value} is out of ${min} to ${max} ${unit}`.trim();
    const error = new NetError("entity/clamped", `${message}, the nearest bound is written instead`);
    // oxlint-disable-next-line no-console -- a mistake of the game, which nobody would see otherwise
    console.warn(`paceline: ${error.message}`);
    this.errors.emit(error);
  }

  /** Reports a motion model that threw. Its entity holds its position. */
  faulted(name: string, id: number, { kind, cause }: MotionFault): void {
    const what = kind === "threw" ? `threw: ${String(cause)}` : "computed what is no number";
    const message = `the motion model of "${name}" ${id} ${what}; it holds its last good pose`;
    this.report(new NetError("motion/fault", message, { cause }));
  }
}

function assertDefinition(definition: unknown): void {
  if ((definition as Partial<EntityDefinition> | undefined)?.schemaHash !== undefined) return;
  throw new ConfigError("definition", definition, "a kind of entity, made by defineEntity");
}
