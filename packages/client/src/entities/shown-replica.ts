import { restore, type EntityRows } from "@paceline/protocol";
import {
  ReceivedReplica,
  type TickTimeline,
  deriveVelocity,
  isVelocityDerived,
  type Kinematics,
  type Place,
  type ShownBody,
} from "@paceline/netcode";
import type { Entity } from "./entity.js";
import type { FieldChanges } from "./field-changes.js";

/**
 * Limit of received states that take part in motion when the game reads an entity again. Older ones are
 * skipped, and the oldest taken one is not blended.
 */
const MAX_WAITING = 17;
/** Numbers per waiting state: tick, source's time at its arrival (s), and 0, JUMP or UNBLENDED. */
const STRIDE = 3;
const JUMP = 1;
/** States before it were skipped. */
const UNBLENDED = 2;

/**
 * One entity that another participant simulates, under the id from its source, and the way it is shown. A
 * received state waits in the reader's rows until the game reads the entity.
 */
export class ShownReplica extends ReceivedReplica<Entity> {
  /** Undefined until the game listens to a field. */
  changes: FieldChanges | undefined = undefined;
  /** Undefined if the source sends the rates of the motion, or if there is no motion. */
  kinematics: Kinematics | undefined = undefined;
  /** Undefined without a motion, or before its code is loaded: states are shown as received. */
  body: ShownBody | undefined = undefined;
  isInterpolated = false;
  /** True if the game knows the entity. */
  isSpawned = false;
  /** Turn of the event loop in which the shown pose was computed: see `Clock.turnMs`. */
  #shownAtMs = -Infinity;
  /** Replaces `body` if the game predicts this entity. */
  predicted: ((nowMs: number, into: Float32Array) => void) | undefined = undefined;
  onState: ((state: Float32Array, isJump: boolean) => void) | undefined = undefined;
  /** Blends the pose shown so far into that of another source, after a change of owners. */
  blend: ((nowMs: number, shown: Float32Array) => void) | undefined = undefined;
  readonly #timeline: TickTimeline;
  /** True if rows have the velocity that follows from the states before them. */
  readonly #isVelocityDerived: boolean;
  /** The reader's rows of the waiting states. */
  #source: EntityRows | undefined;
  /** Waiting states, oldest first, and how many numbers they have. */
  readonly #waiting = new Float64Array(MAX_WAITING * STRIDE);
  #end = 0;
  /** Tick of the last state that motion has taken. */
  #takenTick = -Infinity;

  constructor(id: number, place: Place, entity: Entity, timeline: TickTimeline) {
    super(id, place, entity);
    this.#timeline = timeline;
    this.#isVelocityDerived = isVelocityDerived(this.definition);
  }

  get #hasDerivedVelocity(): boolean {
    return this.#isVelocityDerived && !this.kinematics;
  }

  /** Adds a newer state. It is taken when the entity is read. */
  add(source: EntityRows, tick: number, nowSeconds: number, isJump: boolean): void {
    if (this.#source !== source) this.take();
    this.#source = source;
    const waiting = this.#waiting;
    if (this.#end === waiting.length) {
      waiting.copyWithin(0, STRIDE);
      this.#end -= STRIDE;
      waiting[2] ||= UNBLENDED;
    }
    waiting[this.#end++] = tick;
    waiting[this.#end++] = nowSeconds;
    waiting[this.#end++] = isJump ? JUMP : 0;
    this.tick = tick;
    this.place.isOld = true;
  }

  /** Brings the row up to date. Motion takes the waiting states later, unless the row depends on them. */
  updateRow(): void {
    if (!this.place.isOld) return;
    if (this.kinematics || this.#hasDerivedVelocity) return this.take();
    const source = this.#source!;
    restore(source.plan, source.rows, source.find(this.tick >>> 0), this.row);
    this.#takeTexts();
  }

  /** Takes the waiting states, oldest first. */
  take(): void {
    if (this.#end === 0) return;
    const source = this.#source!;
    const waiting = this.#waiting;
    const { row } = this;
    const { scratch } = this.place.table;
    const tickSeconds = this.#timeline.secondsOf(1);
    const end = this.#end;
    // A motion model of the game may read the entity.
    this.#end = 0;
    this.#shownAtMs = -Infinity;
    this.#takeTexts();
    for (let at = 0; at < end; at += STRIDE) {
      const tick = waiting[at]!;
      const how = waiting[at + 2]!;
      const place = source.find(tick >>> 0);
      if (place < 0) {
        // A later state has its row.
        waiting[at + STRIDE + 2] ||= UNBLENDED;
        continue;
      }
      if (this.#hasDerivedVelocity) scratch.set(row);
      restore(source.plan, source.rows, place, row);
      if (this.#hasDerivedVelocity) {
        const seconds = how === JUMP ? 0 : (tick - this.#takenTick) * tickSeconds;
        deriveVelocity(this.definition, scratch, row, seconds);
      }
      if (how === JUMP) this.kinematics?.restart();
      this.kinematics?.derive(row, tick, tickSeconds);
      this.body?.receive(row, this.#timeline.secondsOf(tick), waiting[at + 1]!, how > 0);
      this.#takenTick = tick;
    }
  }

  /** Returns true if the shown pose is not that of this turn and of all states yet, and marks it as such. */
  startShowing(turnMs: number): boolean {
    if (this.#shownAtMs === turnMs && this.#end === 0) return false;
    this.take();
    this.#shownAtMs = turnMs;
    return true;
  }

  #takeTexts(): void {
    const source = this.#source!;
    const { texts, textOf } = source.plan;
    this.place.isOld = false;
    if (texts.length > 0) this.setTexts(source.textsAt(this.tick >>> 0), textOf);
  }
}
