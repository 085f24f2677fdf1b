import {
  planState,
  readWholeState,
  writeWholeState,
  type AuthorityInfo,
  type EntityDefinition,
  type EntityRows,
  type StatePlan,
} from "@paceline/protocol";
import { ReceiverReplication, lostAfterMsOf, type ReplicationMoment } from "@paceline/netcode";
import type { Plan, Session } from "@paceline/transport";
import type { OwnedRecord } from "../../entities/owned-entities.js";
import { policyOf } from "../../plan/state-policy.js";
import { StateStream } from "../state-stream.js";

export interface OwnStatesOptions {
  readonly info: AuthorityInfo;
  /** Ticks of the states, per second. */
  readonly tickHz: number;
  session(): Session;
  plan(): Plan;
}

/** The only receiver. */
const AUTHORITY = 0;
/** Round trip until one was measured, ms. */
const ASSUMED_RTT_MS = 200;
/**
 * States of own entities take half of what a server's default limit lets a session send. With more entities each is told
 * less often, those first that have waited longest.
 */
const STATE_BYTES_PER_SECOND = 131_072;

/** Sends the authority the states of entities that this participant simulates, as differences from those that it has. */
export class OwnStates {
  readonly #options: OwnStatesOptions;
  readonly #streams = new Map<EntityDefinition, StateStream>();
  /** For each local id: the session's number of the message that asked for the entity. */
  readonly #asked = new Map<number, number>();
  /** The baselines that the authority holds. */
  readonly #replication: ReceiverReplication;
  #sentAtMs = Number.NEGATIVE_INFINITY;

  constructor(options: OwnStatesOptions) {
    this.#options = options;
    this.#replication = new ReceiverReplication({ tickSeconds: 1 / options.tickHz });
  }

  /** `asked`: the session's number of the message that asks the authority for it. */
  add(record: OwnedRecord, asked: number): void {
    const { definition } = record;
    const number = this.#options.info.kinds.findIndex(({ name }) => name === definition.name);
    // The authority will refuse it.
    if (number < 0) return;
    this.#asked.set(record.id, asked);
    const stream = this.#streams.get(definition) ?? this.#newStream(number, definition);
    this.#streams.set(definition, stream);
    stream.add(record);
  }

  /** The state that an entity begins with, for the question whether this participant may own it. */
  first({ id, definition, row, texts }: OwnedRecord): Uint8Array {
    return writeWholeState(this.#planOf(definition), id, row, texts);
  }

  /** The state in which the authority puts an entity back; undefined where it is none. `plan`: if the authority describes the kind otherwise. */
  corrected(
    { id, definition, row }: OwnedRecord,
    state: Uint8Array,
    plan = this.#planOf(definition),
  ): Float32Array | undefined {
    const corrected = row.slice();
    return readWholeState(plan, id, state, corrected) && corrected;
  }

  remove({ id, definition }: OwnedRecord): void {
    this.#asked.delete(id);
    this.#streams.get(definition)?.remove(id);
    this.#replication.remove(id);
  }

  /** An entity was moved by force: its way there is no velocity. */
  teleported({ id, definition }: OwnedRecord): void {
    this.#streams.get(definition)?.teleport(id);
    this.#replication.teleported(id);
  }

  /** The authority has the packet that went out with that number. */
  acknowledged(sequence: number): void {
    for (const stream of this.#streams.values()) stream.acknowledge(AUTHORITY, sequence);
    this.#replication.acknowledged(sequence);
  }

  /** The authority cannot read what it got: all come whole. */
  resync(): void {
    for (const stream of this.#streams.values()) stream.distrust(AUTHORITY, []);
    this.#replication.force();
  }

  /**
   * Sends what is due, as the plan says and as many to a packet as fit; the authority checks it, continues the entities
   * between two states, and passes them on.
   */
  publish(records: Iterable<OwnedRecord>, moment: ReplicationMoment): void {
    const plan = this.#options.plan();
    const { rttMs = ASSUMED_RTT_MS } = this.#options.session();
    // Packets follow each other by the plan's period; a step that comes a little early counts.
    const leastMs = plan.channels.state.periodMs - 500 / this.#options.tickHz;
    if (moment.nowMs - this.#sentAtMs < leastMs) return;
    const policy = {
      ...policyOf(plan),
      bytesPerSecond: STATE_BYTES_PER_SECOND,
      horizonMs: rttMs / 2,
      lostAfterMs: lostAfterMsOf(rttMs),
    };
    const due = this.#replication.due(this.#known(records), moment, policy) as OwnedRecord[];
    for (const stream of this.#streams.values()) {
      const rows = due
        .filter(({ definition }) => definition === stream.definition)
        .map((record) => stream.rowsAt(record, moment.tick));
      if (rows.length > 0) this.#send(stream, rows, moment);
    }
  }

  #send(stream: StateStream, rows: readonly EntityRows[], moment: ReplicationMoment): void {
    this.#sentAtMs = moment.nowMs;
    const sender = stream.senderTo(AUTHORITY);
    sender.start(moment.tick, rows);
    for (let states = sender.next(); states; states = sender.next()) {
      const { body, entities, from, to } = states;
      // Only a packet about one entity may replace an older one about the same entity.
      const key = to - from === 1 ? (entities[from]!.id + 1) & 0xffff : 0;
      const sequence = this.#options.session().sendState(body, key, stream.head);
      // Nothing could be sent: it stays due.
      if (sequence === undefined) continue;
      states.sequence = sequence;
      this.#replication.spent(body.length, to - from);
      for (const { id } of entities.slice(from, to)) {
        const record = stream.records.get(id)!;
        this.#replication.sent(record, stream.restored(record, moment.tick), moment, sequence);
      }
    }
  }

  /** Entities that the authority knows by now: it would drop a state that overtook the request for its entity. */
  *#known(records: Iterable<OwnedRecord>): Iterable<OwnedRecord> {
    const session = this.#options.session();
    for (const record of records) {
      const asked = this.#asked.get(record.id);
      if (asked !== undefined && session.isAcknowledged(asked)) yield record;
    }
  }

  #planOf(definition: EntityDefinition): StatePlan {
    const { tickHz } = this.#options;
    return this.#streams.get(definition)?.plan ?? planState(definition, { tickHz, hasRates: true });
  }

  #newStream(number: number, definition: EntityDefinition): StateStream {
    return new StateStream({ number, definition, tickHz: this.#options.tickHz });
  }
}
