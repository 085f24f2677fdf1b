import { limits } from "../../limits.js";
import { NO_TICK, type PacketEntries } from "../codec/packet-entries.js";
import type { SharedBaselines } from "../codec/packet-head.js";
import type { EntityRows } from "../columns/entity-rows.js";
import { Cohort, SentTicks, type ExceptionList, type GroupStates, type TickContent } from "./cohort.js";
import { PacketSplitter, type SplitJob } from "./packet-splitter.js";
import type { Exception, Receiver } from "./receiver.js";
import { SentRowsPool } from "./sent-tick.js";
import type { SnapshotWriter } from "./snapshot-writer.js";
import { InStep } from "./in-step.js";
import { WINDOW_TICKS, noTicks, type TickWindow } from "./tick-window.js";

const DEFAULT_CHECKSUM_TICKS = 32;
/** Largest age of a baseline that the coding can hold, in ticks. */
const OLDEST_BASELINE_TICKS = 0x7fff;
const NO_IDS: readonly number[] = [];
const NO_ROWS: readonly EntityRows[] = [];
const NO_EXCEPTIONS: ExceptionList = { items: [], count: 0 };

export interface ReceiverGroupOptions {
  /** Encodes packets. Its bodies are views until the next one. */
  readonly writer: Pick<SnapshotWriter, "write">;
  /** Largest body for a receiver whose packets may be lost, bytes. Default: an unreliable packet less 16 for heads. */
  readonly maxBytes?: number;
  /** Largest body for a receiver that gets all in order, bytes. Default: as the other. */
  readonly maxBytesInOrder?: number;
  /** Ticks from one checksum to the next. Default 32. */
  readonly checksumTicks?: number;
}

/**
 * Sends states to several receivers, and encodes them once for all that hold the same. A state is a difference
 * from the newest states that the receiver holds; whole if it holds none. So no state depends on a packet that
 * may be lost, and what one receiver acknowledges changes no value that another one reads.
 */
export class ReceiverGroup<R extends Receiver = Receiver> {
  /** Counts the ticks with states. A receiver that took no part in one has missed it. */
  turn = 0;
  readonly #splitter: PacketSplitter;
  readonly #job: SplitJob & { maxBytes: number };
  readonly #maxBytes: number;
  readonly #maxBytesInOrder: number;
  /** Indexed by {@link EntityRows.index}. */
  readonly #sent: (SentTicks | undefined)[] = [];
  /**
   * For ticks that some receiver skipped: the entities that were due and of which no later state has been due.
   */
  readonly #late = new Map<number, EntityRows[]>();
  /** The cohorts of the tick. Those before `at` have ended; records from `count` on wait for reuse. */
  readonly #cohorts: Cohort<R>[] = [];
  #count = 0;
  #at = 0;
  /** The one whose bodies {@link next} returns. */
  #cohort: Cohort<R> | undefined;
  /** Finds the states of a single receiver. */
  readonly #single = new Cohort<R>();
  readonly #exceptions: { readonly items: Exception[]; count: number } = { items: [], count: 0 };
  readonly #pool = new SentRowsPool();
  /** The receivers that have got everything, and the ticks with states. */
  readonly #inStep = new InStep<R>();
  /** True until the last states of a turn are given. */
  #isTurn = false;

  constructor(options: ReceiverGroupOptions) {
    const { writer, maxBytes = limits.unreliablePacketBytes - 16 } = options;
    const { maxBytesInOrder = maxBytes, checksumTicks = DEFAULT_CHECKSUM_TICKS } = options;
    this.#splitter = new PacketSplitter(writer);
    this.#maxBytes = maxBytes;
    this.#maxBytesInOrder = maxBytesInOrder;
    // Reused, so that writing a tick allocates nothing.
    this.#job = {
      maxBytes,
      checksumTicks,
      tick: 0,
      removed: NO_IDS,
      choose: (entries, index) => this.#choose(entries, index),
    };
  }

  /** The entities whose states the group has sent. */
  *entities(): Iterable<EntityRows> {
    for (const sent of this.#sent) if (sent && !sent.entity.isRemoved) yield sent.entity;
  }

  /**
   * Lets an entity belong to the group from a tick on, before that tick's {@link start}. What its receivers got of the
   * entity before, from other groups, counts as nothing. Without a call, an entity belongs to the group from its first
   * state on.
   */
  enter(entity: EntityRows, tick: number): void {
    this.#sent[entity.index] = new SentTicks(entity, tick);
  }

  /** Forgets an entity that belongs to the group no more. */
  leave(entity: EntityRows): void {
    if (this.#sentOf(entity)) this.#sent[entity.index] = undefined;
  }

  /** Returns the tick of the entity's newest state that was sent to the group; NO_TICK before the first. */
  newest(entity: EntityRows): number {
    return this.#sentOf(entity)?.newest ?? NO_TICK;
  }

  /**
   * Lets a receiver be in step if it has got all that is due, in order. It then takes part in each {@link start} that has
   * due states, and need not be given: the group keeps what all of these hold, once. Returns false if it must be given.
   * Not for receivers with `removals`. See {@link Receiver.fallOut}.
   */
  takeInStep(receiver: R): boolean {
    if (receiver.isInStep) return true;
    if (!receiver.isSteady) return false;
    this.#inStep.add(receiver);
    receiver.stepIn();
    return true;
  }

  /** Number of the receivers that are in step. */
  get inStepCount(): number {
    return this.#inStep.receivers.length;
  }

  /** @internal See {@link Receiver.fallOut}. */
  fallOut(receiver: Receiver, turn = this.turn): void {
    this.#inStep.remove(receiver as R);
    receiver.stepOut(this.#inStep.ticks, turn);
  }

  /** @internal Notes that the states of the present tick do not reach a receiver in step. */
  miss(receiver: Receiver): void {
    this.#inStep.missing.add(receiver as R);
  }

  /** @internal Returns true if `arrived` has all ticks after `base` that had states. */
  hasSentAfter(base: number, arrived: TickWindow | undefined): boolean {
    return this.#inStep.isSameAfter(base, arrived, this.#job.tick);
  }

  /** Returns the tick of the newest state that the receiver holds; NO_TICK if it holds none. */
  newestHeld(receiver: R, entity: EntityRows): number {
    const { tick } = this.#job;
    // A receiver that was away has an old window, whose places stand for other ticks.
    receiver.arrived.advance(tick);
    const single = this.#single;
    single.begin(receiver, "wanted", receiver.arrived.words, NO_EXCEPTIONS);
    single.find(entity, this.#sentOf(entity), (tick + 1) >>> 0);
    return single.held.tick0;
  }

  /** Returns the entities due at a skipped tick of which no later state has been due. */
  lateOf(tick: number): readonly EntityRows[] {
    return this.#late.get(tick) ?? NO_ROWS;
  }

  /**
   * Begins the states of a tick: the due ones for the receivers, and all for new ones. `due`, `all`: entities with a
   * state of the tick. A receiver that missed a turn of the group catches up. Call {@link next} until it returns
   * undefined.
   */
  start(
    tick: number,
    due: readonly EntityRows[],
    receivers: Iterable<R>,
    all: () => readonly EntityRows[],
  ): void {
    this.#endTurn();
    this.#job.tick = tick;
    const missed = this.turn;
    if (due.length > 0) {
      this.turn += 1;
      this.#isTurn = true;
      this.#addInStep(tick, due);
    }
    let isSkipped = false;
    let rows: readonly EntityRows[] | undefined;
    for (const receiver of receivers) {
      if (receiver.isInStep) continue;
      receiver.arrived.advance(tick);
      if (receiver.turn !== missed) receiver.catchUp(tick);
      receiver.turn = this.turn;
      if (receiver.isSkipping) {
        if (due.length > 0) receiver.skip(tick);
        isSkipped = true;
      } else if (receiver.isNew) this.#add(receiver, "all", (rows ??= all()), receiver.removals());
      else {
        const removals = receiver.removals();
        if (due.length > 0 || removals.length > 0) this.#add(receiver, "due", due, removals);
      }
    }
    for (const entity of due) this.#countSent(entity, tick);
    if (due.length > 0 && (isSkipped || this.#late.size > 0)) this.#noteLate(tick, due, isSkipped);
  }

  /**
   * Begins states that a receiver has waited for. It shares them with those before it that waited for the same ones.
   * `rows`: entities with a state of the tick.
   */
  startAlone(tick: number, receiver: R, rows: readonly EntityRows[]): void {
    this.#job.tick = tick;
    this.#add(receiver, "wanted", rows, receiver.isSkipping ? receiver.removals() : NO_IDS);
  }

  /**
   * Begins whole states, which anybody can read, whatever it holds: for messages that must arrive, and for several that
   * get one packet that may be lost. They count for no receiver. `rows`: entities with a state of the tick.
   */
  startWhole(tick: number, rows: readonly EntityRows[], removed: readonly number[] = NO_IDS): void {
    this.#job.tick = tick;
    const cohort = this.#newCohort();
    cohort.beginWhole();
    cohort.due = rows;
    cohort.removals = removed;
  }

  /** Returns the tick's next body, or undefined after the last one. Call `sent` of its receivers before the next call. */
  next(): GroupStates<R> | undefined {
    for (;;) {
      const cohort = this.#cohort;
      if (cohort) {
        if (cohort.number > 0) cohort.sentRows.release();
        const body = this.#splitter.next();
        if (body) return this.#filled(cohort, body);
        cohort.end();
      }
      this.#cohort = this.#at < this.#count ? this.#cohorts[this.#at++] : undefined;
      if (!this.#cohort) break;
      this.#open(this.#cohort);
    }
    this.#at = this.#count = 0;
    this.#endTurn();
    return undefined;
  }

  /** Notes that the due states of the tick are with those in step, except for those that they did not reach. */
  #endTurn(): void {
    if (!this.#isTurn) return;
    this.#isTurn = false;
    for (const receiver of this.#inStep.takeMissing()) this.fallOut(receiver, this.turn - 1);
    this.#inStep.ticks.add(this.#job.tick);
  }

  /** Makes the cohorts of the receivers in step. Only the ticks differ at which they got all entities. */
  #addInStep(tick: number, due: readonly EntityRows[]): void {
    const inStep = this.#inStep;
    inStep.ticks.advance(tick);
    const { bases, receivers } = inStep;
    for (let from = 0, to: number; from < receivers.length; from = to) {
      const cohort = this.#newCohort();
      cohort.beginInStep(receivers, bases[from]!, inStep.ticks);
      cohort.due = due;
      to = receivers.length;
      if (bases[to - 1] !== bases[from]) {
        this.#measure(cohort);
        while (!cohort.takesBase(bases[to - 1]!)) to -= 1;
      }
      if (to - from < receivers.length) cohort.receivers = receivers.slice(from, to);
    }
  }

  #filled(cohort: Cohort<R>, body: Uint8Array): GroupStates<R> {
    const { entries, removed } = this.#splitter;
    cohort.body = body;
    cohort.sentRows = this.#pool.take(entries.entities, entries.count);
    cohort.removed = removed;
    cohort.number += 1;
    return cohort;
  }

  #open(cohort: Cohort<R>): void {
    const { receivers, due, removals } = cohort;
    const job = this.#job;
    job.removed = removals;
    job.maxBytes = receivers[0]?.isInOrder === true ? this.#maxBytesInOrder : this.#maxBytes;
    cohort.open(job.tick);
    this.#splitter.split(due, job);
  }

  /** Adds a receiver to the cohort that gets the same, or to a new one. */
  #add(receiver: R, content: TickContent, due: readonly EntityRows[], removals: readonly number[]): void {
    const exceptions = this.#exceptionsOf(receiver, content, due);
    // Without exceptions, all entities are sent whole.
    const arrived = content === "all" && exceptions.count === 0 ? NO_TICKS : receiver.counted();
    for (let index = this.#at; index < this.#count; index++) {
      const cohort = this.#cohorts[index]!;
      if (!cohort.sends(content, due, removals)) continue;
      this.#measure(cohort);
      if (cohort.takes(receiver, arrived, exceptions)) return cohort.add(receiver);
    }
    const cohort = this.#newCohort();
    cohort.begin(receiver, content, arrived, exceptions);
    cohort.due = due;
    cohort.removals = removals;
  }

  #newCohort(): Cohort<R> {
    return (this.#cohorts[this.#count++] ??= new Cohort<R>());
  }

  /** Lets a cohort note on which ticks its baselines depend. One that nobody else may join need not. */
  #measure(cohort: Cohort<R>): void {
    if (cohort.isMeasured || cohort.content === "all") return;
    cohort.isMeasured = true;
    for (const entity of cohort.due) cohort.find(entity, this.#sentOf(entity), this.#job.tick);
  }

  /** Returns the exceptions of a receiver that count for what is sent, as a list that is valid until the next call. */
  #exceptionsOf(receiver: R, content: TickContent, due: readonly EntityRows[]): ExceptionList {
    if (receiver.exceptions.size === 0) return NO_EXCEPTIONS;
    const list = this.#exceptions;
    list.count = 0;
    for (const entity of content === "all" ? receiver.exceptions.keys() : due) {
      const exception = receiver.exceptionOf(entity, this.#job.tick);
      if (exception) list.items[list.count++] = exception;
    }
    return list;
  }

  /** Keeps the entities of a tick that was skipped until a newer state of them is due, or they are too old. */
  #noteLate(tick: number, due: readonly EntityRows[], isSkipped: boolean): void {
    for (const [of, rows] of this.#late) {
      const late = rows.filter((entity) => this.newest(entity) === of);
      if (late.length === 0 || ((tick - of) | 0) >= WINDOW_TICKS) this.#late.delete(of);
      else if (late.length < rows.length) this.#late.set(of, late);
    }
    if (isSkipped) this.#late.set(tick, [...due]);
  }

  #choose(entries: PacketEntries, index: number): void {
    const cohort = this.#cohort!;
    if (cohort.content === "all" && !cohort.isAlone) return;
    const { tick } = this.#job;
    const entity = entries.entities[index]!;
    cohort.find(entity, this.#sentOf(entity), tick);
    setBaselines(entries, index, tick, cohort.held);
  }

  #countSent(entity: EntityRows, tick: number): void {
    let sent = this.#sentOf(entity);
    if (!sent) this.#sent[entity.index] = sent = new SentTicks(entity);
    sent.add(tick);
  }

  #sentOf(entity: EntityRows): SentTicks | undefined {
    const sent = this.#sent[entity.index];
    return sent?.entity === entity ? sent : undefined;
  }
}

const NO_TICKS = noTicks();

/** Sets those of the held states that the coding can use as baselines. */
function setBaselines(entries: PacketEntries, index: number, tick: number, held: SharedBaselines): void {
  const { tick0, tick1, tick2 } = held;
  const entity = entries.entities[index]!;
  const age = (tick - tick0) | 0;
  if (tick0 === NO_TICK || age < 1 || age > OLDEST_BASELINE_TICKS || !entity.keeps(tick0, tick)) return;
  // An entity at rest needs no second baseline. So receivers of the same newest state get the same bytes,
  // whatever each of them acknowledged before.
  const isSecond = tick1 !== NO_TICK && entity.keeps(tick1, tick) && !entity.isSameAt(tick0, tick1);
  const isThird = isSecond && tick2 !== NO_TICK && entity.keeps(tick2, tick);
  const isLone = entity.plan.isStepping && !(isThird && tick0 - tick2 === 2);
  entries.setBaselines(
    index,
    tick0,
    isSecond && !isLone ? tick1 : NO_TICK,
    isThird && !isLone ? tick2 : NO_TICK,
  );
}
