import { limits, type EntityRows } from "@paceline/protocol";
import type { ReplicationMoment } from "@paceline/netcode";
import type { Interest } from "@paceline/netcode/interest";
import type { EntityRecord, World } from "../entities/world.js";
import { AlignedReceiver } from "../states/aligned-receiver.js";
import { HEADS_BYTES } from "../states/player-states.js";
import { RoomReplication } from "../states/room-replication.js";
import type { StateTerms } from "../states/state-terms.js";
import { CellGroup, type CellReceiver } from "./cell-group.js";
import { MESSAGE_BYTES, messageOf, type PlayerView } from "./player-view.js";

export interface AudienceOptions {
  readonly world: World;
  readonly tickHz: number;
  readonly interest: Interest;
  readonly terms: StateTerms;
  readonly kinds: ReadonlySet<number>;
  /** Returns the records in a cell. */
  readonly recordsIn: (cell: number) => Iterable<EntityRecord>;
  /** Returns the cell of an entity. */
  readonly cellOf: (record: EntityRecord) => number;
}

/** Largest difference between acknowledged ticks of players that share an encoding, s. */
const ALIGNMENT_SECONDS = 0.1;
/** States that a player who has lost packets gets alone of one cell in a tick. */
const MAX_ALONE = 32;
const NO_ROWS: readonly EntityRows[] = [];
/** No limit: each view keeps its own. */
const UNLIMITED_BYTES_PER_SECOND = 1e12;

/** The players of a room with equal terms that read the same kinds: what they get of each cell. */
export class Audience {
  readonly #options: AudienceOptions;
  /** By cell and level: see {@link #keyOf}. */
  readonly #groups = new Map<number, CellGroup>();
  /** By level of detail. */
  readonly #replications: readonly RoomReplication[];
  readonly #everyTicks: readonly number[];
  /** By level: the entities that may be due in the present tick. */
  readonly #candidates: readonly EntityRecord[][];
  /** Views that belong to it. */
  size = 0;
  /** The entities that views get alone, and the number of these views. */
  readonly #alone = new Map<EntityRecord, number>();

  constructor(options: AudienceOptions) {
    const { world, tickHz, interest, terms } = options;
    this.#options = options;
    this.#replications = interest.levels.map(
      ({ thresholdM = 0 }) =>
        new RoomReplication({
          ...{ world, tickHz, terms: { ...terms, bytesPerSecond: UNLIMITED_BYTES_PER_SECOND } },
          bytesPerSecond: UNLIMITED_BYTES_PER_SECOND,
          leastErrorM: thresholdM,
        }),
    );
    this.#candidates = interest.levels.map(() => []);
    this.#everyTicks = interest.levels.map(({ everyTicks }) => Math.ceil(everyTicks / terms.everyTicks));
  }

  see(view: PlayerView, cell: number, level: number): CellReceiver {
    const key = this.#keyOf(cell, level);
    let group = this.#groups.get(key);
    if (!group) {
      const { writer } = this.#options.world;
      group = new CellGroup(cell, level, {
        writer,
        maxBytes: limits.unreliablePacketBytes - HEADS_BYTES - MESSAGE_BYTES,
        maxBytesInOrder: limits.reliablePacketBytes / 2 - HEADS_BYTES - MESSAGE_BYTES,
      });
      this.#groups.set(key, group);
    }
    return group.add(view);
  }

  unsee(receiver: CellReceiver): void {
    const { of } = receiver;
    of.remove(receiver);
    if (of.receivers.length === 0) this.#groups.delete(this.#keyOf(of.cell, of.level));
  }

  /** Tells the groups of both cells that an entity has gone from one to the other. */
  moved(record: EntityRecord, cell: number, previousCell: number, tick: number): void {
    for (let level = 0; level < this.#replications.length; level++) {
      const left = this.#groups.get(this.#keyOf(previousCell, level));
      left?.leave(record);
      for (const { view } of left?.receivers ?? []) view.maybeLeft(record);
      this.#groups.get(this.#keyOf(cell, level))?.enter(record, tick);
    }
  }

  /** Notes that one view more gets an entity alone, or one less. */
  countAlone(record: EntityRecord, change: 1 | -1): void {
    const count = (this.#alone.get(record) ?? 0) + change;
    if (count > 0) this.#alone.set(record, count);
    else this.#alone.delete(record);
  }

  /** Returns the last tick at which the entity was due to those who see it at the full rate; undefined: never. */
  dueTick(record: EntityRecord): number | undefined {
    return this.#replications[0]!.sentTick(record);
  }

  force(record: EntityRecord): void {
    for (const replication of this.#replications) replication.force(record);
  }

  teleported(record: EntityRecord): void {
    for (const replication of this.#replications) replication.teleported(record);
  }

  /** Forgets an entity that left the world. */
  removed(record: EntityRecord, cell: number): void {
    this.#alone.delete(record);
    for (const [level, replication] of this.#replications.entries()) {
      replication.removed(record);
      this.#groups.get(this.#keyOf(cell, level))?.leave(record);
    }
  }

  /** Gives each view of the audience the due states of the cells that it sees. */
  write(moment: ReplicationMoment): void {
    for (const group of this.#groups.values()) this.#findCandidates(group, moment.tick);
    if (moment.tick % this.#options.terms.everyTicks === 0) this.#addAlone();
    for (const [level, candidates] of this.#candidates.entries()) this.#choose(level, candidates, moment);
    for (const group of this.#groups.values())
      if (group.due.length > 0 || group.isUnsettled) this.#writeGroup(group, moment.tick);
  }

  /** Notes the entities of a cell that may be due: all at its turn, else those that have come into it. */
  #findCandidates(group: CellGroup, tick: number): void {
    const { kinds, recordsIn } = this.#options;
    const { cell, entered, level } = group;
    const isTurn = this.#isTurn(group, tick);
    if (!isTurn && entered.length === 0) return;
    const candidates = this.#candidates[level]!;
    for (const record of entered) this.#replications[level]!.force(record);
    for (const record of isTurn ? recordsIn(cell) : entered)
      if (kinds.has(record.kind)) candidates.push(record);
    if (entered.length > 0) entered.length = 0;
  }

  /** Adds the entities that views get alone to those that may be due at the full rate, each once. */
  #addAlone(): void {
    if (this.#alone.size === 0) return;
    const { kinds } = this.#options;
    const candidates = this.#candidates[0]!;
    const all = new Set(candidates);
    for (const record of this.#alone.keys())
      if (kinds.has(record.kind) && !all.has(record)) candidates.push(record);
  }

  /** Finds what is due of the candidates at a level. */
  #choose(level: number, candidates: EntityRecord[], moment: ReplicationMoment): void {
    if (candidates.length === 0) return;
    const { cellOf, world } = this.#options;
    for (const record of this.#replications[level]!.due(moment, candidates))
      this.#groups.get(this.#keyOf(cellOf(record), level))?.due.push(world.rowsAt(record, moment.tick));
    candidates.length = 0;
  }

  /** Turns of cells are spread over the ticks. */
  #isTurn({ cell, level }: CellGroup, tick: number): boolean {
    const { everyTicks } = this.#options.terms;
    return tick % everyTicks === 0 && (tick / everyTicks + cell) % (this.#everyTicks[level] ?? 1) === 0;
  }

  #writeGroup(cellGroup: CellGroup, tick: number): void {
    const { group, due, cell } = cellGroup;
    const waiting: CellReceiver[] = [];
    const present = this.#present(cellGroup, waiting);
    // Also without a receiver: all of them have missed the turn then.
    if (present.length > 0 || due.length > 0) {
      this.#align(present, tick);
      group.start(tick, due, present, () => this.#rowsIn(cell, tick));
      this.#send(group);
      due.length = 0;
    }
    for (const receiver of waiting) this.#writeAlone(receiver, tick);
    if (cellGroup.others.length > 0) cellGroup.settle();
  }

  /** Returns the receivers that take part in this tick, besides those in step. Adds those that have lost states to `waiting`. */
  #present(cellGroup: CellGroup, waiting: CellReceiver[]): CellReceiver[] {
    const { group, due, others } = cellGroup;
    const present: CellReceiver[] = [];
    cellGroup.isUnsettled = false;
    for (const receiver of others) {
      const { isNew, turn, view } = receiver;
      const { isPresent, takesStates } = view;
      // One whose line is full follows its cell again afterwards. One without a link catches up with what it missed.
      receiver.isSkipping = !takesStates;
      if (receiver.isExceptional) waiting.push(receiver);
      if (!takesStates || receiver.isExceptional) cellGroup.isUnsettled = true;
      if (
        takesStates ? isNew || due.length > 0 || turn !== group.turn : isPresent && !isNew && due.length > 0
      )
        present.push(receiver);
    }
    return present;
  }

  /** Gives a receiver that has lost states these alone. */
  #writeAlone(receiver: CellReceiver, tick: number): void {
    const { group, cell } = receiver.of;
    const rows = receiver.view.takesStates ? this.#wantedOf(receiver, cell, tick) : NO_ROWS;
    if (rows.length === 0) return;
    group.startAlone(tick, receiver, rows);
    this.#send(group);
  }

  #align(present: readonly CellReceiver[], tick: number): void {
    if (present.every(({ isInOrder }) => isInOrder)) return;
    const unordered = present.filter(({ isInOrder }) => !isInOrder);
    const { tickHz, terms } = this.#options;
    AlignedReceiver.align(
      unordered,
      Math.max(2 * terms.everyTicks, Math.round(ALIGNMENT_SECONDS * tickHz)),
      tick,
    );
  }

  #send(group: CellGroup["group"]): void {
    for (let states = group.next(); states; states = group.next()) {
      const message = messageOf(states.body);
      for (const receiver of states.receivers) receiver.view.add(message, states, receiver);
    }
  }

  #rowsIn(cell: number, tick: number): EntityRows[] {
    const { world, kinds, recordsIn } = this.#options;
    const rows: EntityRows[] = [];
    for (const record of recordsIn(cell)) if (kinds.has(record.kind)) rows.push(world.rowsAt(record, tick));
    return rows;
  }

  /** Returns the states that a receiver waits for. What has left the cell meanwhile, it must not get. */
  #wantedOf(receiver: CellReceiver, cell: number, tick: number): EntityRows[] {
    const { world, cellOf } = this.#options;
    const rows: EntityRows[] = [];
    for (const wanted of receiver.wanted(MAX_ALONE)) {
      const record = world.records.get(wanted.id);
      if (record?.rows === wanted && cellOf(record) === cell) rows.push(world.rowsAt(record, tick));
      else receiver.forget(wanted);
    }
    return rows;
  }

  #keyOf(cell: number, level: number): number {
    return cell * this.#replications.length + level;
  }
}
