import type { EntityDefinition } from "@paceline/protocol";
import { thresholdFactor } from "../reckoning/adaptive-threshold.js";
import type { SendDecisionPolicy } from "../reckoning/send-decision.js";
import type { MotionFault } from "../reckoning/remote-body.js";
import { SentReplica, type EntityTexts } from "./sent-replica.js";

/** One entity that may have to be sent. */
export interface ReplicatedEntity {
  readonly id: number;
  readonly definition: EntityDefinition;
  /** The entity's present state, derived components filled in (see `kinematicsOf`). */
  readonly state: Float32Array;
  readonly texts: EntityTexts;
  /** Weight of its errors beside those of others. Default 1. */
  readonly weight?: number;
  /** From what the receiver looks from, m; 0 where nobody knows. */
  readonly distanceM?: number;
}

export interface ReplicationPolicy extends SendDecisionPolicy {
  /** Bytes of states for this receiver, heads included. */
  readonly bytesPerSecond: number;
  /** A state that is not acknowledged within this time is lost, and its entity due again; Infinity: nobody says. */
  readonly lostAfterMs: number;
}

export interface ReplicationMoment {
  readonly tick: number;
  readonly nowMs: number;
}

export interface ReceiverReplicationOptions {
  /** Seconds of one simulation tick. */
  readonly tickSeconds: number;
  readonly onFault?: (entity: ReplicatedEntity, fault: MotionFault) => void;
}

interface Slot {
  readonly entity: ReplicatedEntity;
  readonly replica: SentReplica;
  /** Errors summed up while unsent: grows until it is the entity's turn. */
  priority: number;
  /** Sequence of the packet that carried the newest state; undefined once it is acknowledged, or if nobody acknowledges. */
  unacknowledged: number | undefined;
  isForced: boolean;
}

interface SentPacket {
  sequence: number;
  readonly ids: number[];
}

/** So much may be sent at once after a quiet time. */
const BURST_SECONDS = 0.25;
const MIN_BURST_BYTES = 1200;
/** Assumed size of a state before any was written. */
const FIRST_GUESS_BYTES = 16;
/** Packets whose acknowledgement may still come. */
const IN_FLIGHT = 1024;
const LOST_URGENCY = 2;
const FORCED_URGENCY = 8;

/** A state counts as lost after this: the way there and back, the receiver's delay in answering, and half of it again. */
export function lostAfterMsOf(rttMs: number): number {
  return rttMs * 1.5 + 60;
}

/**
 * Chooses the due entities for one receiver (or for all of a room that share packets), and their order: entities
 * whose shown motion will be off by more than the threshold, whose other fields changed, whose heartbeat is due, or
 * whose last state was lost. What the byte budget does not allow waits, and becomes more urgent the longer it does: the
 * most wrong goes first and none starves.
 *
 * Each tick: run every entity's `kinematicsOf(definition)`, once for all receivers; call {@link due}; write the
 * entities that it names (quantise into the `StateHistory`, write with `SnapshotSender` or `ReferenceSender`); for each
 * call {@link sent} with the state as `restore` reads it back, since that is what the receiver will continue; then
 * {@link spent} with the bytes that left. Pass what `Session.onAcknowledged` says to {@link acknowledged}.
 */
export class ReceiverReplication {
  readonly #options: ReceiverReplicationOptions;
  readonly #slots = new Map<number, Slot>();
  readonly #sent: SentPacket[] = [];
  #tokens = Number.POSITIVE_INFINITY;
  #filledAtMs: number | undefined;
  #pressure = 0;
  #bytesPerEntity = FIRST_GUESS_BYTES;

  constructor(options: ReceiverReplicationOptions) {
    this.#options = options;
  }

  /** Share of the budget that is used up, 0 to 1: thresholds are wider from a half on. */
  get pressure(): number {
    return this.#pressure;
  }

  /** Which entities to send at this tick, the most urgent first; no more than the budget allows. */
  due(
    entities: Iterable<ReplicatedEntity>,
    { tick, nowMs }: ReplicationMoment,
    policy: ReplicationPolicy,
  ): ReplicatedEntity[] {
    this.#refill(nowMs, policy.bytesPerSecond);
    const due: Slot[] = [];
    for (const entity of entities) {
      const slot = this.#slotOf(entity);
      const urgency = this.#urgency(slot, tick, nowMs, policy);
      slot.priority = urgency > 0 ? slot.priority + urgency * (entity.weight ?? 1) : 0;
      if (urgency > 0) due.push(slot);
    }
    const affordable = Math.max(0, Math.ceil(this.#tokens / this.#bytesPerEntity));
    if (due.length > affordable) {
      due.sort((a, b) => b.priority - a.priority);
      due.length = affordable;
    }
    return due.map(({ entity }) => entity);
  }

  /**
   * The entity's state of this tick went out. `state`: as the receiver will read it, quantised. `sequence`: of its
   * packet, where the receiver acknowledges it.
   */
  sent(
    { id, texts }: ReplicatedEntity,
    state: Float32Array,
    { tick, nowMs }: ReplicationMoment,
    sequence?: number,
  ): void {
    const slot = this.#slots.get(id);
    if (!slot) return;
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

  /** So many bytes left, with that many states. */
  spent(bytes: number, states: number): void {
    this.#tokens -= bytes;
    if (states > 0) this.#bytesPerEntity += (bytes / states - this.#bytesPerEntity) / 8;
  }

  /** The receiver has the packet of that sequence. Unknown ones change nothing. */
  acknowledged(sequence: number): void {
    const packet = this.#sent[sequence % IN_FLIGHT];
    if (packet?.sequence !== sequence) return;
    packet.sequence = -1;
    for (const id of packet.ids) {
      const slot = this.#slots.get(id);
      if (slot?.unacknowledged === sequence) slot.unacknowledged = undefined;
    }
  }

  /** These (by default all) are due at the next tick, whatever the receiver is thought to know. */
  force(ids: Iterable<number> = this.#slots.keys()): void {
    for (const id of ids) {
      const slot = this.#slots.get(id);
      if (slot) slot.isForced = true;
    }
  }

  /** The entity was moved by force: due at once, and its way there is no motion. */
  teleported(id: number): void {
    this.#slots.get(id)?.replica.teleported();
    this.force([id]);
  }

  remove(id: number): void {
    this.#slots.delete(id);
  }

  #urgency(slot: Slot, tick: number, nowMs: number, policy: ReplicationPolicy): number {
    const { entity, replica } = slot;
    const factor = thresholdFactor(entity.distanceM ?? 0, this.#pressure);
    replica.thresholdFactor = factor;
    const urgency = replica.urgency(entity.state, tick, nowMs, policy, entity.texts);
    const ageMs = nowMs - replica.sentAtMs;
    const isLost = slot.unacknowledged !== undefined && ageMs > policy.lostAfterMs;
    const least = slot.isForced ? FORCED_URGENCY : isLost ? LOST_URGENCY : 0;
    return Math.max(urgency, ageMs < policy.minIntervalMs ? 0 : least);
  }

  #refill(nowMs: number, bytesPerSecond: number): void {
    const capacity = Math.max(bytesPerSecond * BURST_SECONDS, MIN_BURST_BYTES);
    const seconds = (nowMs - (this.#filledAtMs ?? nowMs)) / 1000;
    this.#filledAtMs = nowMs;
    this.#tokens = Math.min(this.#tokens + seconds * bytesPerSecond, capacity);
    this.#pressure = Math.min(Math.max(0, 1 - this.#tokens / capacity), 1);
  }

  #slotOf(entity: ReplicatedEntity): Slot {
    const known = this.#slots.get(entity.id);
    if (known) return known;
    const { tickSeconds, onFault } = this.#options;
    const replica = new SentReplica({
      definition: entity.definition,
      tickSeconds,
      onFault: (fault) => onFault?.(entity, fault),
    });
    const slot = { entity, replica, priority: 0, unacknowledged: undefined, isForced: false };
    this.#slots.set(entity.id, slot);
    return slot;
  }
}
