/** A sender and a receiver of states, with the sent states kept for comparison. */
import {
  SnapshotWriter,
  SnapshotReader,
  SoleReceiver,
  StateChange,
  StateHistory,
  planState,
  readReference,
  type DropReason,
  type EntityDefinition,
  type EntityRows,
  type SnapshotListener,
  type StatePlan,
} from "@paceline/protocol";
import { isDeepStrictEqual } from "node:util";
import type { DrawnState } from "@paceline/testkit";

export const TICK_HZ = 30;

/** Announces each removal in all later packets, as a room does until it is acknowledged. */
class Sender extends SoleReceiver {
  readonly #removed: number[] = [];

  remove(entity: EntityRows): void {
    this.forget(entity);
    this.#removed.push(entity.id);
  }

  override removals(): readonly number[] {
    return this.#removed;
  }
}

export class StateWorld {
  readonly plans: readonly StatePlan[];
  readonly history: StateHistory;
  readonly writer: SnapshotWriter;
  readonly sent = new Map<string, { row: number[]; texts: unknown }>();

  constructor(definitions: readonly EntityDefinition[], historyTicks = 64) {
    this.plans = definitions.map((definition) => planState(definition, { tickHz: TICK_HZ }));
    this.history = new StateHistory({ plans: this.plans, historyTicks });
    this.writer = new SnapshotWriter(this.plans);
  }

  put(entity: EntityRows, tick: number, { values, texts }: DrawnState): void {
    this.history.write(entity, tick, values, texts);
    const at = entity.find(tick);
    const row = Array.from(entity.rows.subarray(at, at + entity.plan.width));
    this.sent.set(`${entity.id}@${tick}`, { row, texts });
  }

  sender(maxBytes = 1184): Sender {
    return new Sender({ writer: this.writer, maxBytes });
  }

  receiver(): Receiver {
    return new Receiver(this);
  }
}

export class Receiver implements SnapshotListener {
  readonly reader: SnapshotReader;
  readonly drops: DropReason[] = [];
  readonly states: string[] = [];
  readonly removed: number[] = [];
  readonly desyncs: number[] = [];
  readonly teleported: number[] = [];
  readonly owners: number[] = [];
  readonly #world: StateWorld;

  constructor(world: StateWorld) {
    this.#world = world;
    this.reader = new SnapshotReader({
      plans: world.plans,
      historyTicks: world.history.historyTicks,
      maxEntities: 4096,
    });
  }

  /** Reads a packet and compares every state with the sent one; false if the reader drops the packet. */
  take(body: Uint8Array, tick: number): boolean {
    const reason = this.reader.read(body, tick, this);
    if (reason !== undefined) this.drops.push(reason);
    return reason === undefined;
  }

  takeReference(message: Uint8Array): void {
    const reason = readReference(this.reader, message, this);
    if (reason !== undefined) this.drops.push(reason);
  }

  onState(entity: EntityRows, tick: number, place: number, changes: number): void {
    const sent = this.#world.sent.get(`${entity.id}@${tick}`);
    const row = Array.from(entity.rows.subarray(place, place + entity.plan.width));
    const hasTexts = entity.plan.texts.length > 0;
    const isSame =
      isDeepStrictEqual(row, sent?.row) &&
      (!hasTexts || isDeepStrictEqual([...entity.textsAt(tick)], sent?.texts));
    if (!isSame) throw new Error(`entity ${entity.id} at tick ${tick} is not what was sent`);
    this.states.push(`${entity.id}@${tick}`);
    if (changes & StateChange.teleported) this.teleported.push(entity.id);
    if (changes & StateChange.owner) this.owners.push(row[0]!);
  }

  onRemoved(id: number): void {
    this.removed.push(id);
  }

  onDesync(id: number): void {
    this.desyncs.push(id);
  }
}
