import { ReceiverGroup, limits, type EntityRows, type GroupStates } from "@paceline/protocol";
import type { ReplicationMoment } from "@paceline/netcode";
import type { EntityRecord, World } from "../entities/world.js";
import { HEADS_BYTES, PlayerStates, costOf } from "./player-states.js";
import { RoomReplication, type DueCost, type RoomReplicationOptions } from "./room-replication.js";
import { termsKey } from "./state-terms.js";

/** Largest difference between acknowledged ticks of players that share an encoding, s. */
const ALIGNMENT_SECONDS = 0.1;

/** The players of a tier that read the same kinds. */
interface Readers {
  readonly kinds: ReadonlySet<number>;
  readonly group: ReceiverGroup<PlayerStates>;
  readonly players: PlayerStates[];
}

/** The players of a room with equal terms. Finds the due entities, and sends them to groups of players. */
export class Tier {
  /** See {@link termsKey}. */
  readonly key: string;
  readonly replication: RoomReplication;
  readonly #world: World;
  readonly #everyTicks: number;
  readonly #spreadTicks: number;
  /** The room's limit for each player. */
  readonly #maxBytesPerSecond: number;
  /** By {@link PlayerStates.kindsKey}. */
  readonly #readers = new Map<string, Readers>();
  #moment: ReplicationMoment = { tick: 0, nowMs: 0 };
  /** Costs of the due states of this tick to those players that got exactly them, and of those that get them now. */
  #cost: DueCost | undefined;
  #costNow: DueCost = { bytes: 0, states: 0 };

  constructor(options: RoomReplicationOptions) {
    const { terms, tickHz } = options;
    this.key = termsKey(terms);
    this.#world = options.world;
    this.#everyTicks = terms.everyTicks;
    this.#spreadTicks = Math.max(2 * terms.everyTicks, Math.round(ALIGNMENT_SECONDS * tickHz));
    this.#maxBytesPerSecond = options.bytesPerSecond;
    this.replication = new RoomReplication(options);
  }

  get isEmpty(): boolean {
    return this.#readers.size === 0;
  }

  /** Empties the lists of members. The room fills them again before each {@link write}. */
  clearMembers(): void {
    for (const [key, { players }] of this.#readers) {
      if (players.length === 0) this.#readers.delete(key);
      players.length = 0;
    }
  }

  add(player: PlayerStates): void {
    let readers = this.#readers.get(player.kindsKey);
    if (!readers) this.#readers.set(player.kindsKey, (readers = this.#newReaders(player)));
    readers.players.push(player);
    player.join(readers.group);
  }

  /** Forgets an entity that left the world. */
  removed(record: EntityRecord): void {
    this.replication.removed(record);
  }

  /**
   * Sends the due entities of this tick to all members. Newcomers get all entities, even between two turns.
   */
  write(moment: ReplicationMoment): void {
    const isTurn = moment.tick % this.#everyTicks === 0;
    const due = isTurn ? this.replication.due(moment) : [];
    this.#moment = moment;
    this.#cost = undefined;
    for (const readers of this.#readers.values()) this.#write(readers, due, isTurn);
    this.#countSent(due.length);
  }

  #write({ kinds, group, players }: Readers, entities: readonly EntityRecord[], isTurn: boolean): void {
    const { tick } = this.#moment;
    const present = isTurn ? players : players.filter(({ isNew }) => isNew);
    if (present.length === 0) return;
    const due = this.#rowsOf(kinds, entities);
    const turn = { ...this.#moment, due, termsKey: this.key, maxBytesPerSecond: this.#maxBytesPerSecond };
    for (const player of present) player.prepare(turn);
    const unordered = present.filter(({ isInOrder }) => !isInOrder);
    if (unordered.length > 0) PlayerStates.align(unordered, this.#spreadTicks, tick);
    this.#costNow = { bytes: 0, states: 0 };
    group.start(tick, due, present, () => this.#rowsOf(kinds, this.#world.records.values()));
    this.#send(group);
    this.#takeCost(this.#costNow);
    for (const player of present) {
      const rows = player.alone(tick);
      if (rows.length > 0 || player.isAnnouncing) group.startAlone(tick, player, rows);
    }
    this.#send(group);
  }

  #send(group: ReceiverGroup<PlayerStates>): void {
    for (let states = group.next(); states; states = group.next()) {
      for (const player of states.receivers) player.send(states, this.#moment);
      if (states.content === "due") this.#count(states);
    }
  }

  #count(states: GroupStates): void {
    if (states.number === 1) this.#takeCost(this.#costNow);
    const before = states.number === 1 ? { bytes: 0, states: 0 } : this.#costNow;
    this.#costNow = { bytes: before.bytes + costOf(states), states: before.states + states.rows.length };
  }

  /**
   * Takes what counts for all players of the tier: the most states, and the fewest bytes. A bad line needs more
   * bytes for the same states. That player's own budget pays for them.
   */
  #takeCost(cost: DueCost): void {
    if (cost.states === 0) return;
    const known = this.#cost;
    if (!known || cost.states > known.states || (cost.states === known.states && cost.bytes < known.bytes))
      this.#cost = cost;
  }

  #countSent(states: number): void {
    if (states > 0) this.replication.countSent(this.#cost?.bytes, states);
  }

  #rowsOf(kinds: ReadonlySet<number>, records: Iterable<EntityRecord>): EntityRows[] {
    const { tick } = this.#moment;
    const rows: EntityRows[] = [];
    for (const record of records) if (kinds.has(record.kind)) rows.push(this.#world.rowsAt(record, tick));
    return rows;
  }

  #newReaders({ kinds }: PlayerStates): Readers {
    const { writer } = this.#world;
    const group = new ReceiverGroup<PlayerStates>({
      writer,
      maxBytes: limits.unreliablePacketBytes - HEADS_BYTES,
      maxBytesInOrder: limits.reliablePacketBytes / 2 - HEADS_BYTES,
    });
    return { kinds: new Set(kinds), group, players: [] };
  }
}
