import type { AuthorityInfo, EntityDefinition, EntityRows } from "@paceline/protocol";
import { ReceiverReplication, lostAfterMsOf, type ReplicationMoment } from "@paceline/netcode";
import type { Session } from "@paceline/transport";
import type { OwnedRecord } from "../../entities/owned-entities.js";
import { policyOf } from "../../policy/state-policy.js";
import { decisionOf } from "../decision-of.js";
import type { RoomParts } from "../room-mode.js";
import { StateStream, keyOf } from "../state-stream.js";
import type { OwnRequests } from "./own-requests.js";

/** Number of the only receiver. */
const AUTHORITY = 0;
const ASSUMED_RTT_MS = 200;
/**
 * Limit of own states: half of a server's default limit for a session. With more entities, each is sent less
 * often, those first that have waited longest.
 */
const STATE_BYTES_PER_SECOND = 131_072;

/**
 * Sends the authority the states of entities that this participant simulates, as differences from its
 * baselines.
 */
export class OwnStates {
  readonly #parts: RoomParts;
  readonly #info: AuthorityInfo;
  readonly #requests: OwnRequests;
  readonly #streams = new Map<EntityDefinition, StateStream>();
  readonly #replication: ReceiverReplication;
  #sentAtMs = -Infinity;

  constructor(parts: RoomParts, info: AuthorityInfo, requests: OwnRequests) {
    this.#parts = parts;
    this.#info = info;
    this.#requests = requests;
    this.#replication = new ReceiverReplication({ tickSeconds: 1 / parts.time.tickHz, decisionOf });
  }

  /** Adds an entity that was requested. */
  add(record: OwnedRecord): void {
    const { definition } = record;
    const number = this.#info.kinds.findIndex(({ name }) => name === definition.name);
    // The authority will refuse a kind that it does not have.
    if (number < 0) return;
    const stream =
      this.#streams.get(definition) ?? new StateStream(number, definition, this.#parts.time.tickHz);
    this.#streams.set(definition, stream);
    stream.add(record);
  }

  remove({ id, definition }: OwnedRecord): void {
    this.#streams.get(definition)?.remove(id);
    this.#replication.remove(id);
  }

  /** Marks a jump of an entity, which is no motion. */
  teleported({ id, definition }: OwnedRecord): void {
    this.#streams.get(definition)?.teleport(id);
    this.#replication.teleported(id);
  }

  acknowledged(sequence: number): void {
    for (const stream of this.#streams.values()) stream.acknowledge(AUTHORITY, sequence);
    this.#replication.acknowledged(sequence);
  }

  /** Makes the next states whole, because the authority cannot read what it has received. */
  resync(): void {
    for (const stream of this.#streams.values()) stream.invalidate(AUTHORITY);
    this.#replication.force();
  }

  /**
   * Sends the due states at the plan's rate, as many in a packet as fit. The authority checks them, continues
   * the entities between two states, and forwards them.
   */
  publish(records: Iterable<OwnedRecord>, moment: ReplicationMoment): void {
    const plan = this.#parts.transport.plan;
    const { rttMs = ASSUMED_RTT_MS } = this.#session;
    // Packets keep the plan's period. A step that is early by up to half a tick counts.
    const leastMs = plan.channels.state.periodMs - 500 / this.#parts.time.tickHz;
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
    const authority = stream.receiver(AUTHORITY);
    authority.lose(Number.NEGATIVE_INFINITY, moment.tick);
    stream.begin(moment.tick, rows, [authority]);
    for (let states = stream.next(); states; states = stream.next()) {
      const sequence = this.#session.sendState(states.body, keyOf(states), stream.head);
      authority.sent(states, sequence, moment.nowMs);
      // Nothing was sent, so the entities stay due.
      if (sequence === undefined) continue;
      this.#replication.spent(states.body.length, states.rows.length);
      for (const { id } of states.rows) {
        const record = stream.records.get(id)!;
        this.#replication.sent(record, stream.restored(record, moment.tick), moment, sequence);
      }
    }
  }

  /**
   * Yields the entities that the authority knows. It would drop a state that overtook the request for its
   * entity.
   */
  *#known(records: Iterable<OwnedRecord>): Iterable<OwnedRecord> {
    const session = this.#session;
    for (const record of records) {
      const sequence = this.#requests.sequenceOf(record);
      if (sequence !== undefined && session.commands.isAcknowledged(sequence)) yield record;
    }
  }

  get #session(): Session {
    return this.#parts.connection.session;
  }
}
