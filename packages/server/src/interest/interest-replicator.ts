import type { EntityDefinition, ViewLimits } from "@paceline/protocol";
import type { ReplicationMoment } from "@paceline/netcode";
import {
  Interest,
  NOWHERE,
  UNSEEN,
  type EntityInterest,
  type InterestFault,
  type Viewer,
} from "@paceline/netcode/interest";
import type { EntityRecord, Owner, World } from "../entities/world.js";
import type { RoomCounters } from "../ops/room-counters.js";
import type { PlayerStates } from "../states/player-states.js";
import type { RoomReplicator } from "../states/replicator.js";
import { Audience } from "./audience.js";
import type { Ground } from "./ground.js";
import type { Viewpoints } from "./viewpoints.js";
import { PlayerView } from "./player-view.js";
import type { RoomInterest } from "./room-interest.js";

export interface InterestReplicatorOptions {
  readonly world: World;
  readonly tickHz: number;
  /** The room's limit of states for each player, packet headers included. */
  readonly bytesPerSecond: number;
  readonly interest: RoomInterest;
  readonly ground: Ground;
  readonly viewpoints: Viewpoints;
  readonly nowMs: () => number;
  /** The first fault of each kind. */
  readonly onFault: (fault: InterestFault) => void;
  readonly counters: Pick<RoomCounters, "interestFaults">;
}

/** An entity in the room's interest. */
interface PlacedEntity {
  readonly record: EntityRecord;
  readonly hasPlace: boolean;
  cell: number;
}

/** The viewpoint and the bound entities of a view, to find changes. */
interface Aim {
  followed: EntityRecord | undefined;
  point: object | undefined;
  ownVersion: number;
  sightVersion: number;
}

/** Limit of own entities that a player sees wherever it looks. */
const MAX_BOUND_OWN = 32;
const ordinary: EntityInterest = {};

/** Sends the entities of a room to its players, tick by tick: to each those that concern it. */
export class InterestReplicator implements RoomReplicator {
  readonly #options: InterestReplicatorOptions;
  readonly #interest: Interest;
  readonly #kinds = new Map<EntityDefinition, EntityInterest>();
  readonly #placed = new Map<number, PlacedEntity>();
  readonly #views = new Map<PlayerStates, PlayerView>();
  readonly #viewOf = new Map<Viewer, PlayerView>();
  readonly #aims = new Map<PlayerView, Aim>();
  readonly #players = new Map<number, Owner>();
  /** By terms and kinds. */
  readonly #audiences = new Map<string, Audience>();
  readonly #bytesLimit: ViewLimits;
  #tick = 0;

  /** Throws {@link ConfigError} for a wrong option of the room's interest. */
  constructor(options: InterestReplicatorOptions) {
    this.#options = options;
    const { interest, ground, bytesPerSecond, tickHz, nowMs, onFault } = options;
    const { ground: _axes, kinds = [], relevant, ...general } = interest;
    for (const { definition, ...kind } of kinds) this.#kinds.set(definition, kind);
    this.#bytesLimit = { bytesPerSecond };
    this.#interest = new Interest(
      { ...general, bytesPerSecond, ...(relevant && { relevant: this.#relevant(relevant) }) },
      {
        ...{ world: ground.world, tickHz, nowMs, onFault },
        viewerOf: (viewer) => this.#players.get(viewer),
        onMoved: (id, cell, previousCell) => this.#moved(id, cell, previousCell),
        onView: (viewer, cell, level, previousLevel) => this.#viewed(viewer, cell, level, previousLevel),
      },
    );
  }

  setOwner(record: EntityRecord, owner: Owner | undefined): void {
    this.#options.world.setOwner(record, owner);
    this.force(record);
  }

  force(record: EntityRecord): void {
    for (const audience of this.#audiences.values()) audience.force(record);
  }

  teleport(record: EntityRecord): void {
    this.#options.world.history.teleport(record.id);
    for (const audience of this.#audiences.values()) audience.teleported(record);
  }

  /** Tells those who see an entity that it is removed. To others, it never was there. */
  removed(record: EntityRecord): void {
    const { id } = record;
    const placed = this.#placed.get(id);
    if (placed?.record !== record) return;
    for (const view of this.#views.values()) {
      if (this.#sees(view.viewer, id)) view.states.removed(record);
      view.removed(record);
      this.#unfollow(view, record);
    }
    for (const audience of this.#audiences.values()) audience.removed(record, placed.cell);
    this.#interest.remove(id);
    this.#placed.delete(id);
  }

  write(moment: ReplicationMoment, playerStates: readonly PlayerStates[]): void {
    this.#tick = moment.tick;
    this.#admit(moment, playerStates);
    this.#place();
    for (const view of this.#views.values()) this.#aim(view);
    this.#interest.update(moment.tick);
    const present: PlayerView[] = [];
    for (const view of this.#views.values()) {
      view.update(moment.tick);
      view.prepare(moment);
      if (view.takesStates) present.push(view);
    }
    for (const audience of this.#audiences.values()) audience.write(moment);
    for (const view of present) {
      view.writePrivate(moment.tick);
      view.flush();
    }
    this.#options.counters.interestFaults = Object.values(this.#interest.faults).reduce((a, b) => a + b, 0);
  }

  #relevant(relevant: NonNullable<RoomInterest["relevant"]>) {
    return (viewer: number, id: number): boolean =>
      relevant(this.#players.get(viewer) as never, this.#placed.get(id)!.record.entity as never);
  }

  /** Begins the views of new players, ends those of players that have left, and notes who has a link. */
  #admit({ nowMs }: ReplicationMoment, playerStates: readonly PlayerStates[]): void {
    for (const view of this.#views.values()) {
      view.isPresent = false;
      if (view.states.isEnded) this.#end(view);
    }
    for (const states of playerStates) {
      if (states.kinds.size === 0) continue;
      const audience = this.#audienceOf(states);
      let view = this.#views.get(states);
      if (!view) view = this.#begin(states, audience);
      else if (view.audience !== audience) {
        view.audience.size -= 1;
        view.moveTo(audience);
        audience.size += 1;
      }
      view.isPresent = true;
      const { bytesPerSecond } = states.terms;
      const { budget } = view.viewer;
      budget.limitBytesPerSecond = bytesPerSecond;
      const isCut = bytesPerSecond > this.#options.bytesPerSecond && bytesPerSecond < Infinity;
      states.setLimits(isCut ? this.#bytesLimit : undefined, budget.shortage, nowMs);
    }
    for (const [key, { size }] of this.#audiences) if (size === 0) this.#audiences.delete(key);
  }

  #begin(states: PlayerStates, audience: Audience): PlayerView {
    const { owner } = states.connection.player;
    // Before the viewer, since the game's rule is asked about it.
    this.#players.set(owner.number, owner);
    const viewer = this.#interest.addViewer(owner.number);
    const view = new PlayerView({
      ...{ states, viewer, audience, world: this.#options.world },
      sees: (id) => this.#sees(viewer, id),
      cellOf: (id) => this.#interest.index.cellOf(id),
    });
    audience.size += 1;
    this.#views.set(states, view);
    this.#viewOf.set(viewer, view);
    this.#aims.set(view, { followed: undefined, point: undefined, ownVersion: -1, sightVersion: -1 });
    return view;
  }

  #end(view: PlayerView): void {
    const { states, viewer, audience } = view;
    this.#interest.removeViewer(viewer);
    view.end();
    audience.size -= 1;
    this.#views.delete(states);
    this.#viewOf.delete(viewer);
    this.#aims.delete(view);
  }

  #audienceOf({ terms, termsKey, kinds, kindsKey }: PlayerStates): Audience {
    const key = `${termsKey} ${kindsKey}`;
    let audience = this.#audiences.get(key);
    if (!audience) {
      const { world, tickHz } = this.#options;
      audience = new Audience({
        ...{ world, tickHz, interest: this.#interest, terms, kinds: new Set(kinds) },
        recordsIn: (cell) => this.#recordsIn(cell),
        cellOf: ({ id }) => this.#placed.get(id)!.cell,
      });
      this.#audiences.set(key, audience);
    }
    return audience;
  }

  /** Tells interest where all entities are now. */
  #place(): void {
    const { ground, world } = this.#options;
    for (const record of world.records.values()) {
      const placed = this.#placed.get(record.id);
      if (!placed) this.#add(record);
      else if (placed.hasPlace) this.#interest.move(record.id, ground.xOf(record), ground.yOf(record));
    }
  }

  #add(record: EntityRecord): void {
    const { ground } = this.#options;
    const { id, definition } = record;
    const hasPlace = ground.has(definition);
    const kind = this.#kinds.get(definition) ?? ordinary;
    const { minX, minY } = ground.world;
    if (hasPlace) this.#interest.place(id, ground.xOf(record), ground.yOf(record), kind);
    // An entity without a place concerns everybody.
    else this.#interest.place(id, minX, minY, { ...kind, always: true });
    this.#placed.set(id, { record, hasPlace, cell: NOWHERE });
  }

  /** Lets a view look from where the room's code says, and binds the entities that the player always sees. */
  #aim(view: PlayerView): void {
    const { player } = view.states.connection;
    const { ground, viewpoints, world } = this.#options;
    const { viewer } = view;
    const aim = this.#aims.get(view)!;
    const own = world.ownedBy(player.owner);
    if (own.version !== aim.ownVersion || player.sight.version !== aim.sightVersion) {
      aim.ownVersion = own.version;
      aim.sightVersion = player.sight.version;
      this.#bind(view, own.records, player.sight.watched);
    }
    const from = viewpoints.of(player);
    if (!from) return;
    if (!("rows" in from)) {
      if (from !== aim.point) viewer.look(from.x, ground.yOfPoint(from));
      aim.point = from;
      aim.followed = undefined;
      return;
    }
    if (from === aim.followed || this.#placed.get(from.id)?.record !== from) return;
    aim.point = undefined;
    aim.followed = from;
    viewer.follow(from.id);
  }

  /** Lets a view keep its viewpoint if it looks from a player's own entity that ends. */
  #unfollow(view: PlayerView, record: EntityRecord): void {
    const aim = this.#aims.get(view)!;
    if (aim.followed !== record) return;
    aim.followed = undefined;
    if (!view.states.connection.player.sight.from) view.viewer.stay();
  }

  #bind(view: PlayerView, own: ReadonlySet<EntityRecord>, watched: ReadonlySet<EntityRecord>): void {
    const { viewer } = view;
    const wanted = new Set<number>();
    for (const record of own)
      if (wanted.size < MAX_BOUND_OWN && this.#placed.get(record.id)?.record === record)
        wanted.add(record.id);
    for (const record of watched) if (this.#placed.get(record.id)?.record === record) wanted.add(record.id);
    const { bound } = viewer;
    bound.dropRemoved();
    for (const id of bound.ids.slice(0, bound.count)) {
      if (wanted.has(id)) continue;
      viewer.unbind(id);
      view.maybeLeft(this.#placed.get(id)!.record);
    }
    for (const id of wanted) viewer.bind(id);
  }

  #sees(viewer: Viewer, id: number): boolean {
    return this.#interest.levelOf(viewer, id) !== UNSEEN;
  }

  #moved(id: number, cell: number, previousCell: number): void {
    // A removed entity has left its groups already.
    const placed = cell === NOWHERE ? undefined : this.#placed.get(id);
    if (!placed) return;
    placed.cell = cell;
    for (const audience of this.#audiences.values())
      audience.moved(placed.record, cell, previousCell, this.#tick);
  }

  #viewed(viewer: Viewer, cell: number, level: number, previousLevel: number): void {
    const view = this.#viewOf.get(viewer)!;
    if (previousLevel !== UNSEEN) view.unsee(cell);
    if (level !== UNSEEN) view.see(cell, level);
    else for (const record of this.#recordsIn(cell)) view.maybeLeft(record);
  }

  #recordsIn(cell: number): EntityRecord[] {
    const { members, starts, counts } = this.#interest.index;
    const count = counts[cell]!;
    const records: EntityRecord[] = [];
    for (let at = starts[cell]!; at < starts[cell]! + count; at++) {
      // The members are those of the last update: an entity that was removed meanwhile has left its groups already.
      const placed = this.#placed.get(members[at]!);
      if (placed) records.push(placed.record);
    }
    return records;
  }
}
