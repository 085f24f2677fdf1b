import { ConfigError, listCode, type EntityDefinition } from "@paceline/protocol";
import {
  EntityTable,
  newFields,
  type InitialFields,
  type ReadonlyFields,
  type WritableFields,
} from "@paceline/netcode";
import type { ChangeListener, Entity, OwnedEntity } from "../entities/entity.js";
import { FieldChanges, plainValue } from "../entities/field-changes.js";
import type { Listeners, Unsubscribe } from "../listeners.js";
import type { SoleWriter } from "../modes/room-mode.js";
import type { Peer } from "../peers/peer.js";
import type { Room } from "./room.js";

/** An entity that exists once per room, such as a score: see {@link Room.only}. */
export type OnlyEntity<
  D extends EntityDefinition = EntityDefinition,
  Values = WritableFields<D["fields"]>,
> = Values & {
  readonly kind: D;
  /** True while this participant writes it. */
  readonly isMine: boolean;
  /** Peer that writes it. Null if this participant writes it, or if no writer is known. */
  readonly owner: Peer | null;
  /** Registers a listener for changes of a field. It stays registered when the writer changes. */
  onChange<Name extends keyof D["fields"] & string>(
    field: Name,
    listener: ChangeListener<D["fields"][Name]>,
  ): Unsubscribe;
};

/** The only entity of its kind, in a room whose authority writes it. */
export type OnlyHostedEntity<D extends EntityDefinition> = OnlyEntity<D, ReadonlyFields<D["fields"]>>;

type Values = Readonly<Record<string, unknown>>;

/**
 * State that exists once per room, and the entity behind it. The entity belongs to the authority, or in a mesh
 * to the participant whose page has been in the room longest. When that page is left or reloaded, the next
 * participant continues with the same values.
 */
export class OnlyEntityView {
  readonly view: OnlyEntity;
  readonly #room: Room;
  readonly #writer: () => SoleWriter | undefined;
  readonly #definition: EntityDefinition;
  readonly #changes: FieldChanges;
  /** Newest known values: those of the current or last entity, or the initial ones. */
  #values: Values;
  #own: OwnedEntity | undefined;
  #isReviewDue = false;
  #stops: Unsubscribe[] = [];

  /** @param gifts changes of owners of the room's entities */
  constructor(
    room: Room,
    definition: EntityDefinition,
    writer: () => SoleWriter | undefined,
    gifts: Listeners<[Entity]>,
  ) {
    this.#room = room;
    this.#writer = writer;
    this.#definition = definition;
    this.#values = initialValues(definition);
    this.#changes = new FieldChanges(definition, () => this.view);
    this.view = this.#newView();
    // The writer depends on the members, so the review waits until the room knows all of them.
    const later = (): void => this.#reviewLater();
    room.onPeerJoin(later);
    room.onPeerLeave(later);
    room.onReconnect(later);
    room.onDespawn(definition, later);
    gifts.add(later);
    room.onSpawn(definition, () => this.#follow());
    this.#review();
  }

  #newView(): OnlyEntity {
    const read = (): Values => this.#values;
    const view = {
      kind: this.#definition,
      isMine: false,
      owner: null,
      onChange: this.#changes.on.bind(this.#changes),
    };
    Object.defineProperty(view, "isMine", { enumerable: true, get: () => this.#own !== undefined });
    Object.defineProperty(view, "owner", { enumerable: true, get: () => this.#writer()?.peer ?? null });
    for (const name of Object.keys(this.#definition.fields)) {
      Object.defineProperty(view, name, {
        enumerable: true,
        get: () => read()[name],
        set: (value: unknown) => {
          this.#write(name, value);
        },
      });
    }
    return view as unknown as OnlyEntity;
  }

  #write(name: string, value: unknown): void {
    if (this.#own) {
      (this.#own as Record<string, unknown>)[name] = value;
      return;
    }
    const expected = `nothing: ${this.#writer()?.name ?? "another player"} writes it`;
    throw new ConfigError(`${this.#definition.name}.${name}`, value, expected);
  }

  #reviewLater(): void {
    if (this.#isReviewDue) return;
    this.#isReviewDue = true;
    this.#room.setup.scheduler.after(0, () => {
      this.#isReviewDue = false;
      this.#review();
    });
  }

  #review(): void {
    const room = this.#room;
    // While the connection is lost, the list of members may be out of date.
    if (room.state !== "joined") return;
    const own = this.#own;
    const isOwnThere =
      own !== undefined && [...room.entities(this.#definition)].some((entity) => entity === own);
    if (this.#writer()) {
      this.#own = undefined;
      if (isOwnThere) room.despawn(own);
    } else if (!isOwnThere) {
      // The new writer continues with the last writer's values.
      const { fields } = this.#definition;
      const last = Object.entries(fields).map(([name, field]) => [
        name,
        plainValue(field, this.#values[name]),
      ]);
      this.#own = room.spawn(this.#definition, Object.fromEntries(last) as InitialFields<typeof fields>);
    }
    this.#follow();
  }

  /** Takes its values from the writer's entity, if that is known. */
  #follow(): void {
    const entity = this.#own ?? this.#entityOf(this.#writer()?.peer);
    if (!entity || this.#values === (entity as Values)) return;
    for (const stop of this.#stops) stop();
    this.#values = entity;
    const names = Object.keys(this.#definition.fields);
    this.#stops = names.map((name) => entity.onChange(name, () => this.#changes.review()));
    this.#changes.review();
  }

  #entityOf(writer: Peer | undefined): Entity | undefined {
    let found: Entity | undefined;
    for (const entity of this.#room.entities(this.#definition)) {
      if (entity.owner === writer && !(found && found.id < entity.id)) found = entity;
    }
    return found;
  }
}

function initialValues(definition: EntityDefinition): Values {
  const table = new EntityTable(definition, 1);
  const place = { table, row: table.allocate() };
  const collections = listCode.inUse?.newConstants(definition);
  return newFields(definition, { place, layer: "state", isWritable: false, collections }) as Values;
}
