import { FIRST_FIELD_COLUMN, stateWeight, type EntityDefinition, type Texts } from "@paceline/protocol";
import type { SendDecisionPolicy } from "../reckoning/send-policy.js";
import type { MotionFault } from "../reckoning/remote-body.js";
import { SentReplica, type DecisionOf } from "./sent-replica.js";
import { StateBudget, type StateShortage } from "./state-budget.js";

/** Distance to a receiver up to which the definition's threshold applies, m. */
const NEAR_M = 50;
/** Largest factor by distance. The factor grows with distance, like the smallest visible error. */
const MAX_DISTANCE_FACTOR = 8;
/** Factor when no budget is left. */
const MAX_PRESSURE_FACTOR = 4;

/**
 * Returns the factor on an entity's thresholds. It is larger for distant receivers, and if the budget runs
 * out.
 *
 * @param distanceM distance to the nearest receiver that sees the entity, m; 0 if unknown
 * @param pressure used share of the byte budget, 0 to 1; the factor grows above one half
 */
export function thresholdFactor(distanceM: number, pressure: number): number {
  const byDistance = Math.min(Math.max(1, distanceM / NEAR_M), MAX_DISTANCE_FACTOR);
  const overHalf = Math.min(Math.max(0, pressure * 2 - 1), 1);
  const byPressure = MAX_PRESSURE_FACTOR ** overHalf;
  // If a game's distance is NaN, its entity counts as near and is still sent.
  return Number.isNaN(byDistance) ? byPressure : byDistance * byPressure;
}

/** An entity that may have to be sent. */
export interface ReplicatedEntity {
  readonly id: number;
  readonly definition: EntityDefinition;
  /** The entity's current state, with derived components filled in (see `kinematicsOf`). */
  readonly state: Float32Array;
  readonly texts: Texts;
  /** Distance from the receiver's viewpoint, m; 0 if unknown. */
  readonly distanceM?: number;
}

export interface ReplicationPolicy extends SendDecisionPolicy {
  /** Limit of bytes of states per second for this receiver, heads included. */
  readonly bytesPerSecond: number;
  /** Limit of states per second, by their {@link stateWeight}, that the receiver reads. Default: no limit. */
  readonly statesPerSecond?: number;
  /**
   * Time after which an unacknowledged state counts as lost and its entity is due again, ms; Infinity: never.
   */
  readonly lostAfterMs: number;
}

export interface ReplicationMoment {
  readonly tick: number;
  readonly nowMs: number;
}

export interface ReceiverReplicationOptions {
  /** Length of a simulation tick, s. */
  readonly tickSeconds: number;
  readonly decisionOf: DecisionOf;
  readonly onFault?: (entity: ReplicatedEntity, fault: MotionFault) => void;
}

interface Slot {
  readonly entity: ReplicatedEntity;
  readonly replica: SentReplica;
  readonly weight: number;
  /** Sum of errors while unsent. It grows until the entity is sent. */
  priority: number;
  /**
   * Sequence of the packet with the newest state; undefined if it is acknowledged, or the receiver does not
   * acknowledge.
   */
  unacknowledged: number | undefined;
  isForced: boolean;
}

interface SentPacket {
  sequence: number;
  readonly ids: number[];
}

/** Limit of packets that await an acknowledgement. */
const IN_FLIGHT = 1024;
const LOST_URGENCY = 2;
const FORCED_URGENCY = 8;

/** Time for which a receiver keeps its answer back, ms, or in periods of its bundles if these are longer. */
const ANSWER_MS = 60;
const ANSWER_PERIODS = 1.5;

/**
 * Returns the time after which a state counts as lost, ms: the round trip, half of it again, and the
 * receiver's delay in answering. `bundleMs`: period of the receiver's messages, ms.
 */
export function lostAfterMsOf(rttMs: number, bundleMs = 0): number {
  return rttMs * 1.5 + Math.max(ANSWER_MS, ANSWER_PERIODS * bundleMs);
}

/**
 * Chooses the due entities for one receiver (or for all of a room that share packets), and their order. An
 * entity is due if its shown motion is off by more than the threshold, another field changed, its heartbeat
 * is due, or its last state was lost. Entities beyond the budget of bytes or states wait, and become more
 * urgent with time: the largest errors go first, and none starves.
 *
 * Each tick: run every entity's `kinematicsOf(definition)`, once for all receivers; call {@link due}; write
 * the returned entities (quantise into the `StateHistory`, write with `SoleReceiver` or `ReceiverGroup`);
 * for each call {@link sent} with the state as `restore` reads it back, since receivers continue that one;
 * then {@link spent} with the sent bytes. Pass acknowledgements of `Session.onAcknowledged` to
 * {@link acknowledged}.
 */
export class ReceiverReplication {
  readonly #options: ReceiverReplicationOptions;
  readonly #slots = new Map<number, Slot>();
  readonly #sent: SentPacket[] = [];
  readonly #budget = new StateBudget();

  constructor(options: ReceiverReplicationOptions) {
    this.#options = options;
  }

  /** The states that wait because the budget is too small; undefined if it suffices. */
  get shortage(): StateShortage | undefined {
    return this.#budget.shortage;
  }

  /** Returns the entities to send at this tick, the most urgent first, within the budget. */
  due(
    entities: Iterable<ReplicatedEntity>,
    { tick, nowMs }: ReplicationMoment,
    policy: ReplicationPolicy,
  ): ReplicatedEntity[] {
    this.#budget.refill(nowMs, policy.bytesPerSecond, policy.statesPerSecond);
    const due: Slot[] = [];
    for (const entity of entities) {
      const slot = this.#slotOf(entity);
      const urgency = this.#urgency(slot, tick, nowMs, policy);
      slot.priority = urgency > 0 ? slot.priority + urgency : 0;
      if (urgency > 0) due.push(slot);
    }
    const affordable = this.#budget.afford(due.length);
    if (due.length > affordable || this.#readable(due) < due.length) {
      due.sort((a, b) => b.priority - a.priority);
      due.length = Math.min(affordable, this.#readable(due));
    }
    return due.map(({ entity }) => entity);
  }

  /**
   * Records that the entity's state of this tick was sent. `state`: as the receiver will read it, quantised.
   * `sequence`: of its packet, if the receiver acknowledges packets.
   */
  sent(
    { id, texts }: ReplicatedEntity,
    state: Float32Array,
    { tick, nowMs }: ReplicationMoment,
    sequence?: number,
  ): void {
    const slot = this.#slots.get(id);
    if (!slot) return;
    this.#budget.states -= slot.weight;
    slot.replica.sent(state, tick, nowMs, texts);
    slot.priority = 0;
    slot.isForced = false;
    slot.unacknowledged = sequence;
    if (sequence === undefined) return;
    const packet = (this.#sent[sequence % IN_FLIGHT] ??= { sequence: -1, ids: [] });
    if (packet.sequence !== sequence) packet.ids.length = 0;
    packet.sequence = sequence;
    packet.ids.push(id);
  }

  /** Records the bytes sent, and the number of states in them. Undefined bytes: takes the mean size. */
  spent(bytes: number | undefined, states: number): void {
    this.#budget.spent(bytes, states);
  }

  /** Records that the receiver has the packet of that sequence. Unknown sequences are ignored. */
  acknowledged(sequence: number): void {
    const packet = this.#sent[sequence % IN_FLIGHT];
    if (packet?.sequence !== sequence) return;
    packet.sequence = -1;
    for (const id of packet.ids) {
      const slot = this.#slots.get(id);
      if (slot?.unacknowledged === sequence) slot.unacknowledged = undefined;
    }
  }

  /** Makes these entities (by default all) due at the next tick, even if the receiver should know them. */
  force(ids: Iterable<number> = this.#slots.keys()): void {
    for (const id of ids) {
      const slot = this.#slots.get(id);
      if (slot) slot.isForced = true;
    }
  }

  /** Makes a teleported entity due at once, and excludes the jump from its motion. */
  teleported(id: number): void {
    this.#slots.get(id)?.replica.teleported();
    this.force([id]);
  }

  remove(id: number): void {
    this.#slots.delete(id);
  }

  #urgency(slot: Slot, tick: number, nowMs: number, policy: ReplicationPolicy): number {
    const { entity, replica } = slot;
    // Above one half of the budget, thresholds grow.
    const factor = thresholdFactor(entity.distanceM ?? 0, this.#budget.pressure);
    replica.thresholdFactor = factor;
    const urgency = replica.urgency(entity.state, tick, nowMs, policy, entity.texts);
    const ageMs = nowMs - replica.sentAtMs;
    const isLost = slot.unacknowledged !== undefined && ageMs > policy.lostAfterMs;
    const least = slot.isForced ? FORCED_URGENCY : isLost ? LOST_URGENCY : 0;
    return Math.max(urgency, ageMs < policy.minIntervalMs ? 0 : least);
  }

  /** Returns the number of slots, from the first on, for which the budget of states suffices. */
  #readable(slots: readonly Slot[]): number {
    let left = this.#budget.states;
    let count = 0;
    while (count < slots.length && (left -= slots[count]!.weight) >= 0) count += 1;
    return count;
  }

  #slotOf(entity: ReplicatedEntity): Slot {
    const known = this.#slots.get(entity.id);
    if (known) return known;
    const { tickSeconds, decisionOf, onFault } = this.#options;
    const replica = new SentReplica({
      definition: entity.definition,
      tickSeconds,
      decisionOf,
      onFault: (fault) => onFault?.(entity, fault),
    });
    const { components, textCount } = entity.definition;
    const weight = stateWeight(FIRST_FIELD_COLUMN + components.length, textCount);
    const slot = { entity, replica, weight, priority: 0, unacknowledged: undefined, isForced: false };
    this.#slots.set(entity.id, slot);
    return slot;
  }
}
