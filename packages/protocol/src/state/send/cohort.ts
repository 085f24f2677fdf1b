import { NO_TICK } from "../codec/packet-entries.js";
import type { SharedBaselines } from "../codec/packet-head.js";
import type { EntityRows } from "../columns/entity-rows.js";
import type { Exception, Receiver } from "./receiver.js";
import type { SentRows } from "./sent-tick.js";
import {
  ARRIVAL_TICKS,
  TickWindow,
  WINDOW_TICKS,
  addTick,
  ageOfNewest,
  hasTick,
  isSameIn,
  noTicks,
} from "./tick-window.js";

/** Which states a tick brings: those that are due, all that there are, or those that one receiver lacks. */
export type TickContent = "due" | "all" | "wanted";

/** A body to send, the same for several receivers. The body is a view until the next one. */
export interface GroupStates<R extends Receiver = Receiver> {
  readonly body: Uint8Array;
  readonly receivers: readonly R[];
  /** The entities of the states in the body: a view until the next one, as the body. */
  readonly rows: readonly EntityRows[];
  /** @internal The same entities, as a list that packets hold until they have an answer. */
  readonly sentRows: SentRows;
  /** Ids that the body announces as removed. */
  readonly removed: readonly number[];
  /** Number of the body among those of this tick for these receivers, from 1 on. */
  readonly number: number;
  readonly content: TickContent;
}

/** Exceptions of one receiver: the first `count` items. */
export interface ExceptionList {
  readonly items: readonly Exception[];
  readonly count: number;
}

/** Ticks at which a group has sent the states of one entity. */
export class SentTicks extends TickWindow {
  readonly entity: EntityRows;
  /** Tick from which on the entity belongs to the group. */
  readonly firstTick: number;

  constructor(entity: EntityRows, firstTick = entity.firstTick) {
    super(WINDOW_TICKS);
    this.entity = entity;
    this.firstTick = firstTick;
  }
}

const NO_IDS: readonly number[] = [];
const NO_ROWS: readonly EntityRows[] = [];
const NO_TICKS = noTicks();
const NO_BODY = new Uint8Array(0);

/** Receivers that hold the same states of all entities of a tick: they get the same packets. */
export class Cohort<R extends Receiver> implements GroupStates<R> {
  receivers: R[] = [];
  content: TickContent = "due";
  /** All entities to send. */
  due: readonly EntityRows[] = NO_ROWS;
  /** All ids to announce as removed. */
  removals: readonly number[] = NO_IDS;
  /** True if the receiver shares with nobody. */
  isAlone = false;
  /** True if nobody may join, and no receiver keeps what it gets: of receivers in step, or of none. */
  isClosed = false;
  /** True once it is known on which ticks the baselines depend. */
  isMeasured = false;
  body: Uint8Array = NO_BODY;
  sentRows!: SentRows;
  removed: readonly number[] = NO_IDS;
  number = 0;
  /** The newest three states of the entity of the last {@link find}. */
  readonly held: SharedBaselines = { tick0: NO_TICK, tick1: NO_TICK, tick2: NO_TICK };
  /** The list of receivers that are not in step. */
  readonly #listed = this.receivers;
  readonly #nobody: R[] = [];
  #count = 0;
  /** The exceptions of the first receiver. All have the same. */
  readonly #exceptions: Exception[] = [];
  #exceptionCount = 0;
  /** The ticks that have arrived, as words of a {@link TickWindow}. */
  #arrived: Int32Array = NO_TICKS;
  /** The ticks on whose arrival the baselines depend. */
  readonly #used = noTicks();
  /** The oldest tick of the window that is a baseline. */
  #oldest = NO_TICK;
  /** The words of {@link #arrived} if the receivers are in step. */
  readonly #common = noTicks();
  #base = NO_TICK;
  #usesBase = false;
  /** Another base gives the same baselines if the base is not used, and the other one is before this tick, too. */
  #newerThanBase = NO_TICK;

  get rows(): readonly EntityRows[] {
    return this.sentRows.rows;
  }

  /** Begins with one receiver. `exceptions`: those of the receiver that count for what is sent. */
  begin(receiver: R, content: TickContent, arrived: Int32Array, exceptions: ExceptionList): void {
    this.receivers = this.#listed;
    this.receivers[0] = receiver;
    this.#count = 1;
    this.isClosed = false;
    this.isAlone = content === "all" && exceptions.count > 0;
    this.#exceptionCount = exceptions.count;
    for (let index = 0; index < exceptions.count; index++) this.#exceptions[index] = exceptions.items[index]!;
    this.#begin(content, arrived, content === "all" ? NO_TICK : receiver.base);
  }

  /** Begins with the first receivers in step, whose base it is. {@link takesBase} tells which others get the same. */
  beginInStep(receivers: R[], base: number, arrived: TickWindow): void {
    this.receivers = receivers;
    // Others have a list of their own.
    this.isClosed = true;
    this.isAlone = false;
    this.#exceptionCount = 0;
    arrived.writeAfter(base, this.#common);
    this.#begin("due", this.#common, base);
  }

  /** Begins without a receiver: anybody can read the states. */
  beginWhole(): void {
    this.receivers = this.#nobody;
    this.isClosed = true;
    this.isAlone = false;
    this.#exceptionCount = 0;
    this.#begin("all", NO_TICKS, NO_TICK);
  }

  #begin(content: TickContent, arrived: Int32Array, base: number): void {
    this.content = content;
    this.due = NO_ROWS;
    this.removals = NO_IDS;
    this.number = 0;
    this.isMeasured = false;
    this.#arrived = arrived;
    this.#used.fill(0);
    this.#oldest = NO_TICK;
    this.#base = base;
    this.#usesBase = false;
    this.#newerThanBase = NO_TICK;
  }

  add(receiver: R): void {
    this.receivers[this.#count++] = receiver;
  }

  /** Begins the packets of a tick, after the last {@link add}. */
  open(tick: number): void {
    if (this.isClosed) return;
    // An array that is emptied first would lose its memory.
    this.receivers.length = this.#count;
    for (const receiver of this.receivers) receiver.begin(tick, this.content);
  }

  /** Ends the packets of a tick. */
  end(): void {
    if (!this.isClosed) for (const receiver of this.receivers) receiver.end();
  }

  /** Returns true if a receiver that has these ticks and exceptions gets the same packets. */
  takes(receiver: R, arrived: Int32Array, exceptions: ExceptionList): boolean {
    if (this.isClosed || this.isAlone) return false;
    const first = this.receivers[0]!;
    return (
      first.isInOrder === receiver.isInOrder &&
      first.isBaseEmpty === receiver.isBaseEmpty &&
      isSameIn(this.#used, this.#arrived, arrived) &&
      this.#takesBase(this.content === "all" ? NO_TICK : receiver.base) &&
      this.#hasExceptions(exceptions)
    );
  }

  /** Returns true if receivers in step with this base, not before that of the first, get the same packets. */
  takesBase(base: number): boolean {
    if (base === this.#base) return true;
    return (this.#oldest === NO_TICK || isBefore(base, this.#oldest)) && this.#takesBase(base);
  }

  /** Returns true if the cohort sends these. */
  sends(content: TickContent, due: readonly EntityRows[], removals: readonly number[]): boolean {
    return this.content === content && isSameList(this.due, due) && isSameList(this.removals, removals);
  }

  #hasExceptions({ items, count }: ExceptionList): boolean {
    if (this.#exceptionCount !== count) return false;
    for (let index = 0; index < count; index++)
      if (!isSameException(this.#exceptions[index]!, items[index]!)) return false;
    return true;
  }

  #takesBase(other: number): boolean {
    if (this.#base === other) return true;
    if (this.#base === NO_TICK || this.#usesBase) return false;
    return this.#newerThanBase === NO_TICK || (other !== NO_TICK && isBefore(other, this.#newerThanBase));
  }

  /** Finds the newest three states of an entity before a tick that the receivers hold. */
  find(entity: EntityRows, sent: SentTicks | undefined, before: number): void {
    const { held } = this;
    held.tick0 = held.tick1 = held.tick2 = NO_TICK;
    const exception = this.#exceptionCount > 0 ? this.receivers[0]!.exceptionOf(entity, before) : undefined;
    if (sent)
      this.#findArrived(sent, before, exception?.isDistrusted === true ? exception.sinceTick : undefined);
    if (exception) this.#addHeld(exception.held);
    else if (held.tick0 === NO_TICK) held.tick0 = this.#passed(entity, sent, before);
  }

  #findArrived(sent: SentTicks, end: number, since: number | undefined): void {
    const { held } = this;
    sent.advance(end);
    for (let age = 1; held.tick2 === NO_TICK; age += 1) {
      age += ageOfNewest(sent.words, (end - age) >>> 0);
      const tick = (end - age) >>> 0;
      if (age >= WINDOW_TICKS || (since !== undefined && isBefore(tick, since))) return;
      addTick(this.#used, tick);
      if (!hasTick(this.#arrived, tick)) continue;
      if (this.#oldest === NO_TICK || isBefore(tick, this.#oldest)) this.#oldest = tick;
      if (held.tick0 === NO_TICK) held.tick0 = tick;
      else if (held.tick1 === NO_TICK) held.tick1 = tick;
      else held.tick2 = tick;
    }
  }

  /** Adds the tick of a state that only one receiver has got. */
  #addHeld(tick: number): void {
    const { held } = this;
    if (tick === NO_TICK || (held.tick0 !== NO_TICK && !isBefore(held.tick0, tick))) return;
    held.tick2 = held.tick1;
    held.tick1 = held.tick0;
    held.tick0 = tick;
  }

  /** Returns the newest state before the window that the receivers hold: the last one sent, or that of their base. */
  #passed(entity: EntityRows, sent: SentTicks | undefined, now: number): number {
    const base = this.#base;
    if (base === NO_TICK) return NO_TICK;
    const passed = sent?.passed ?? NO_TICK;
    if (passed !== NO_TICK && isBefore(base, passed) && this.#hasPassed(passed, now))
      return this.#older(passed, passed);
    // The base has all entities of its tick, and no later one.
    const firstTick = sent?.firstTick ?? entity.firstTick;
    if (isBefore(base, firstTick)) return this.#older(firstTick, NO_TICK);
    this.#usesBase = true;
    return this.receivers[0]!.isBaseEmpty ? NO_TICK : base;
  }

  /**
   * Returns true if a state before the window has arrived. Before the receivers' windows, it was the newest for so
   * long that they would lack it by exception.
   */
  #hasPassed(passed: number, now: number): boolean {
    if (((now - passed) | 0) >= ARRIVAL_TICKS) return true;
    addTick(this.#used, passed);
    return hasTick(this.#arrived, passed);
  }

  /** Notes that a base counts as well as this one if it is older than a tick. Returns `held`. */
  #older(than: number, held: number): number {
    if (this.#newerThanBase === NO_TICK || isBefore(than, this.#newerThanBase)) this.#newerThanBase = than;
    return held;
  }
}

function isBefore(tick: number, other: number): boolean {
  return ((tick - other) | 0) < 0;
}

function isSameException(one: Exception, other: Exception): boolean {
  return (
    one.entity === other.entity &&
    one.held === other.held &&
    one.isDistrusted === other.isDistrusted &&
    (!one.isDistrusted || one.sinceTick === other.sinceTick)
  );
}

function isSameList<T>(list: readonly T[], other: readonly T[]): boolean {
  if (list === other) return true;
  if (list.length !== other.length) return false;
  for (let index = 0; index < list.length; index++) if (list[index] !== other[index]) return false;
  return true;
}
