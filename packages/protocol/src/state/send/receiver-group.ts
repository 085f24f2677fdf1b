import { limits } from "../../limits.js";
import { NO_TICK, type PacketEntries } from "../codec/packet-entries.js";
import type { SharedBaselines } from "../codec/packet-head.js";
import type { EntityRows } from "../columns/entity-rows.js";
import type { StateHistory } from "../columns/state-history.js";
import { PacketSplitter, type SplitJob } from "./packet-splitter.js";
import type { Receiver, TickContent } from "./receiver.js";
import type { SnapshotWriter } from "./snapshot-writer.js";
import {
  ARRIVAL_TICKS,
  TickWindow,
  WINDOW_TICKS,
  addTick,
  ageOfNewest,
  hasTick,
  isSameIn,
  noTicks,
  removeTick,
} from "./tick-window.js";

const DEFAULT_CHECKSUM_TICKS = 32;
/** Largest age of a baseline that the coding can hold, in ticks. */
const OLDEST_BASELINE_TICKS = 0x7fff;
const NO_IDS: readonly number[] = [];
const NO_RECEIVERS: readonly Receiver[] = [];
const SOLE = { content: "wanted", rows: [], isAlone: true } as const;

export interface ReceiverGroupOptions {
  readonly history: StateHistory;
  /** Encodes packets. Its bodies are views until the next one. */
  readonly writer: Pick<SnapshotWriter, "write">;
  /** Largest body for a receiver whose packets may be lost, bytes. Default: an unreliable packet less 16 for heads. */
  readonly maxBytes?: number;
  /** Largest body for a receiver that gets all in order, bytes. Default: as the other. */
  readonly maxBytesInOrder?: number;
  /** Ticks from one checksum to the next. Default 32. */
  readonly checksumTicks?: number;
  /**
   * Receivers whose acknowledgements differ by at most so many ticks use the oldest of these as baseline, so that
   * they share a packet. Default 0: each uses its newest.
   */
  readonly spreadTicks?: number;
}

/** A body to send, the same for several receivers. The body is a view until the next one. */
export interface GroupStates<R extends Receiver = Receiver> {
  readonly body: Uint8Array;
  readonly receivers: readonly R[];
  /** The entities of the states in the body. */
  readonly rows: readonly EntityRows[];
  /** Ids that the body announces as removed. */
  readonly removed: readonly number[];
  /** Number of the body among those of this tick for these receivers, from 1 on. */
  readonly number: number;
  readonly content: TickContent;
}

/** Ticks at which a group has sent the states of one entity. */
class SentTicks extends TickWindow {
  readonly entity: EntityRows;

  constructor(entity: EntityRows) {
    super(WINDOW_TICKS);
    this.entity = entity;
  }
}

/** Receivers that hold the same states of all entities that are due: they get the same packets. */
interface Cohort<R extends Receiver> {
  readonly receivers: R[];
  /** The ticks that have arrived, as words of a {@link TickWindow}. */
  readonly arrived: Int32Array;
  /** The ticks on whose arrival the baselines depend. */
  readonly used: Int32Array;
  readonly base: number;
  usesBase: boolean;
  /** Another base gives the same baselines if the base is not used, and the other one is before this tick, too. */
  newerThanBase: number;
  readonly removed: readonly number[];
  readonly content: TickContent;
  readonly rows: readonly EntityRows[];
  /** True if the receivers lack some of the entities that are due. */
  readonly isAlone: boolean;
}

/** The bodies of a tick for a cohort. */
class CohortStates<R extends Receiver> implements GroupStates<R> {
  body: Uint8Array = new Uint8Array(0);
  receivers: readonly R[] = [];
  removed = NO_IDS;
  number = 0;
  content: TickContent = "due";
  readonly #splitter: PacketSplitter;
  #rows: readonly EntityRows[] | undefined;

  constructor(writer: ReceiverGroupOptions["writer"]) {
    this.#splitter = new PacketSplitter(writer);
  }

  get rows(): readonly EntityRows[] {
    const { entities, count } = this.#splitter.entries;
    return (this.#rows ??= entities.slice(0, count));
  }

  start(receivers: readonly R[], content: TickContent, rows: readonly EntityRows[], job: SplitJob): void {
    this.receivers = receivers;
    this.content = content;
    this.number = 0;
    this.#splitter.split(rows, job);
  }

  /** Writes the next body. Returns false after the last one. */
  next(): boolean {
    const body = this.#splitter.next();
    if (!body) return false;
    this.body = body;
    this.number += 1;
    this.removed = this.#splitter.removed;
    this.#rows = undefined;
    return true;
  }
}

/**
 * Sends states to several receivers, and encodes them once for all that hold the same. A state is a difference
 * from the newest states that the receiver holds; whole if it holds none. So no state depends on a packet that
 * may be lost, and what one receiver acknowledges changes no value that another one reads.
 */
export class ReceiverGroup<R extends Receiver = Receiver> {
  /** Counts the ticks with states. A receiver that took no part in one has missed it. */
  turn = 0;
  readonly #history: StateHistory;
  readonly #due: CohortStates<R>;
  /** Apart from the due states, because whole ones are longer: a guess of the size serves similar states only. */
  readonly #others: CohortStates<R>;
  readonly #job: SplitJob & { maxBytes: number };
  readonly #maxBytes: number;
  readonly #maxBytesInOrder: number;
  readonly #spreadTicks: number;
  /** Indexed by {@link EntityRows.index}. */
  readonly #sent: (SentTicks | undefined)[] = [];
  readonly #held: SharedBaselines = { tick0: NO_TICK, tick1: NO_TICK, tick2: NO_TICK };
  /** The cohorts that wait, and the one whose bodies {@link next} returns. */
  readonly #cohorts: Cohort<R>[] = [];
  #cohort: Cohort<R> | undefined;

  constructor(options: ReceiverGroupOptions) {
    const { history, writer, maxBytes = limits.unreliablePacketBytes - 16 } = options;
    const { maxBytesInOrder = maxBytes, checksumTicks = DEFAULT_CHECKSUM_TICKS, spreadTicks = 0 } = options;
    this.#history = history;
    this.#due = new CohortStates(writer);
    this.#others = new CohortStates(writer);
    this.#maxBytes = maxBytes;
    this.#maxBytesInOrder = maxBytesInOrder;
    this.#spreadTicks = spreadTicks;
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

  /** Returns the tick of the entity's newest state that was sent to the group; NO_TICK before the first. */
  newest(entity: EntityRows): number {
    return this.#sentOf(entity)?.newest ?? NO_TICK;
  }

  /** Returns the tick of the newest state that the receiver holds; NO_TICK if it holds none. */
  newestHeld(receiver: R, entity: EntityRows): number {
    // A receiver that was away has an old window, whose places stand for other ticks.
    receiver.arrived.advance(this.#job.tick);
    const cohort = cohortOf(receiver, receiver.arrived.words, NO_IDS, SOLE);
    this.#find(entity, cohort, (this.#job.tick + 1) >>> 0);
    return this.#held.tick0;
  }

  /** Returns true if the receiver has got a state of the entity before this tick, and it is still in the window. */
  hasSentBefore({ arrived }: Receiver, entity: EntityRows, before: number): boolean {
    const sent = this.#sentOf(entity);
    const end = this.#job.tick;
    for (let tick = (before - 1) >>> 0; ((end - tick) | 0) < WINDOW_TICKS; tick = (tick - 1) >>> 0)
      if (sent && hasTick(sent.words, tick) && hasTick(arrived.words, tick)) return true;
    return false;
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
    this.#job.tick = tick;
    const missed = this.turn;
    if (due.length > 0) this.turn += 1;
    const following: R[] = [];
    const starting: R[] = [];
    for (const receiver of receivers) {
      receiver.arrived.advance(tick);
      if (receiver.turn !== missed) receiver.catchUp(tick);
      receiver.turn = this.turn;
      if (receiver.isSkipping) receiver.skip(tick, due);
      else (receiver.isNew ? starting : following).push(receiver);
    }
    this.#follow(following, due);
    for (const entity of due) this.#count(entity, tick);
    if (starting.length > 0) this.#begin(starting, all());
  }

  /** Begins states that one receiver has waited for. `rows`: entities with a state of the tick. */
  startAlone(tick: number, receiver: R, rows: readonly EntityRows[]): void {
    this.#job.tick = tick;
    const removed = receiver.isSkipping ? this.#removalsOf(receiver) : NO_IDS;
    this.#cohorts.push(
      cohortOf(receiver, receiver.arrived.words, removed, { content: "wanted", rows, isAlone: true }),
    );
  }

  /** Returns the tick's next body, or undefined after the last one. Call `sent` of its receivers before the next call. */
  next(): GroupStates<R> | undefined {
    for (;;) {
      const cohort = this.#cohort;
      const states = cohort?.content === "due" ? this.#due : this.#others;
      if (cohort && states.next()) return states;
      for (const receiver of cohort?.receivers ?? NO_RECEIVERS) receiver.end();
      this.#cohort = this.#cohorts.shift();
      if (!this.#cohort) return undefined;
      this.#open(this.#cohort);
    }
  }

  #open(cohort: Cohort<R>): void {
    const { receivers, removed, content, rows } = cohort;
    const job = this.#job;
    job.removed = removed;
    job.maxBytes = receivers[0]!.isInOrder ? this.#maxBytesInOrder : this.#maxBytes;
    for (const receiver of receivers) receiver.begin(job.tick, content);
    (content === "due" ? this.#due : this.#others).start(receivers, content, rows, job);
  }

  /** Groups the receivers by what they hold of the due entities. */
  #follow(receivers: readonly R[], due: readonly EntityRows[]): void {
    const cohorts = this.#cohorts;
    for (const [newest, members] of this.#aligned(receivers)) {
      for (const receiver of members) {
        const removed = this.#removalsOf(receiver);
        if (due.length === 0 && removed.length === 0) continue;
        const arrived = newest === undefined ? receiver.arrived.words : upTo(receiver.arrived, newest);
        const { exceptions } = receiver;
        const isAlone = exceptions.size > 0 && due.some((entity) => exceptions.has(entity));
        const known = isAlone
          ? undefined
          : cohorts.find((cohort) => isSame(cohort, receiver, arrived, removed));
        if (known) known.receivers.push(receiver);
        else
          cohorts.push(
            this.#measured(cohortOf(receiver, arrived, removed, { content: "due", rows: due, isAlone })),
          );
      }
    }
  }

  /** Returns the receivers with the newest tick that counts as arrived for them; undefined: all that has. */
  *#aligned(receivers: readonly R[]): Iterable<[number | undefined, readonly R[]]> {
    const spread = this.#spreadTicks;
    const inOrder = receivers.filter(({ isInOrder }) => isInOrder || spread === 0);
    if (inOrder.length > 0) yield [undefined, inOrder];
    if (inOrder.length === receivers.length) return;
    const { tick } = this.#job;
    const ages = receivers
      .filter(({ isInOrder }) => !isInOrder)
      .map((receiver) => {
        const arrived = receiver.arrivedTick(spread);
        return { receiver, arrived, age: arrived === NO_TICK ? Infinity : (tick - arrived) | 0 };
      })
      .sort((a, b) => a.age - b.age);
    for (let from = 0; from < ages.length;) {
      let to = from + 1;
      while (to < ages.length && ages[to]!.age - ages[from]!.age <= spread) to += 1;
      const { arrived } = ages[to - 1]!;
      yield [arrived === NO_TICK ? undefined : arrived, ages.slice(from, to).map(({ receiver }) => receiver)];
      from = to;
    }
  }

  /** Notes which ticks the baselines of the due entities depend on. */
  #measured(cohort: Cohort<R>): Cohort<R> {
    for (const entity of cohort.rows) this.#find(entity, cohort, this.#job.tick);
    return cohort;
  }

  /** Begins all entities for new receivers: whole, or as differences from what they held before. */
  #begin(receivers: readonly R[], rows: readonly EntityRows[]): void {
    const nothing = noTicks();
    const first = this.#cohorts.length;
    for (const receiver of receivers) {
      const removed = this.#removalsOf(receiver);
      const isAlone = receiver.exceptions.size > 0;
      const known = isAlone
        ? undefined
        : this.#cohorts.find((cohort, at) => at >= first && isSame(cohort, receiver, nothing, removed));
      if (known) known.receivers.push(receiver);
      else {
        const arrived = isAlone ? receiver.arrived.words : nothing;
        const cohort = cohortOf(receiver, arrived, removed, { content: "all", rows, isAlone });
        this.#cohorts.push({ ...cohort, base: NO_TICK });
      }
    }
  }

  #choose(entries: PacketEntries, index: number): void {
    const cohort = this.#cohort!;
    if (cohort.content === "all" && !cohort.isAlone) return;
    const { tick } = this.#job;
    this.#find(entries.entities[index]!, cohort, tick);
    setBaselines(entries, index, tick, this.#held);
  }

  /** Finds the newest three states of the entity before a tick that the receivers of a cohort hold. */
  #find(entity: EntityRows, cohort: Cohort<R>, before: number): void {
    const held = this.#held;
    held.tick0 = held.tick1 = held.tick2 = NO_TICK;
    const exception = cohort.isAlone ? cohort.receivers[0]!.exceptions.get(entity) : undefined;
    const sent = this.#sentOf(entity);
    const since = exception?.isDistrusted === true ? exception.sinceTick : undefined;
    if (sent) this.#findArrived(sent, cohort, before, since);
    if (exception) addHeld(held, exception.held);
    else if (held.tick0 === NO_TICK) held.tick0 = passedOf(entity, sent, cohort, before);
  }

  #findArrived(sent: SentTicks, cohort: Cohort<R>, end: number, since: number | undefined): void {
    const held = this.#held;
    sent.advance(end);
    for (let age = 1; ; age += 1) {
      age += ageOfNewest(sent.words, (end - age) >>> 0);
      if (age >= WINDOW_TICKS) return;
      const tick = (end - age) >>> 0;
      if (since !== undefined && isBefore(tick, since)) return;
      addTick(cohort.used, tick);
      if (!hasTick(cohort.arrived, tick)) continue;
      if (held.tick0 === NO_TICK) held.tick0 = tick;
      else if (held.tick1 === NO_TICK) held.tick1 = tick;
      else {
        held.tick2 = tick;
        return;
      }
    }
  }

  #count(entity: EntityRows, tick: number): void {
    let sent = this.#sentOf(entity);
    if (!sent) this.#sent[entity.index] = sent = new SentTicks(entity);
    sent.add(tick);
  }

  #sentOf(entity: EntityRows): SentTicks | undefined {
    const sent = this.#sent[entity.index];
    return sent?.entity === entity ? sent : undefined;
  }

  #removalsOf(receiver: R): readonly number[] {
    return receiver.removals((id) => this.#history.find(id) !== undefined);
  }
}

/** Adds the tick of a state that only one receiver has got. */
function addHeld(held: SharedBaselines, tick: number): void {
  if (tick === NO_TICK || (held.tick0 !== NO_TICK && !isBefore(held.tick0, tick))) return;
  held.tick2 = held.tick1;
  held.tick1 = held.tick0;
  held.tick0 = tick;
}

/** Sets those of the held states that the coding can use as baselines. */
function setBaselines(entries: PacketEntries, index: number, tick: number, held: SharedBaselines): void {
  const { tick0, tick1, tick2 } = held;
  const entity = entries.entities[index]!;
  const age = (tick - tick0) | 0;
  if (tick0 === NO_TICK || age < 1 || age > OLDEST_BASELINE_TICKS || entity.find(tick0) < 0) return;
  // An entity at rest needs no second baseline. So receivers of the same newest state get the same bytes,
  // whatever each of them acknowledged before.
  const isSecond = tick1 !== NO_TICK && entity.holds(tick1) && !entity.isSameAt(tick0, tick1);
  const isThird = isSecond && tick2 !== NO_TICK && entity.holds(tick2);
  const isLone = entity.plan.isStepping && !(isThird && tick0 - tick2 === 2);
  entries.setBaselines(
    index,
    tick0,
    isSecond && !isLone ? tick1 : NO_TICK,
    isThird && !isLone ? tick2 : NO_TICK,
  );
}

/** Returns the newest state before the window that the receivers hold: the last one sent, or that of their base. */
function passedOf(
  entity: EntityRows,
  sent: SentTicks | undefined,
  cohort: Cohort<Receiver>,
  now: number,
): number {
  const { base } = cohort;
  if (base === NO_TICK) return NO_TICK;
  const passed = sent?.passed ?? NO_TICK;
  if (passed !== NO_TICK && isBefore(base, passed) && hasPassed(cohort, passed, now))
    return older(cohort, passed, passed);
  // The base has all entities of its tick, and no later one.
  if (isBefore(base, entity.firstTick)) return older(cohort, entity.firstTick, NO_TICK);
  cohort.usesBase = true;
  return cohort.receivers[0]!.isBaseEmpty ? NO_TICK : base;
}

/**
 * Returns true if a state before the window has arrived. Before the receivers' windows, it was the newest for so long
 * that they would lack it by exception.
 */
function hasPassed({ arrived, used }: Cohort<Receiver>, passed: number, now: number): boolean {
  if (((now - passed) | 0) >= ARRIVAL_TICKS) return true;
  addTick(used, passed);
  return hasTick(arrived, passed);
}

/** Notes that a base counts as well as the cohort's if it is older than a tick. Returns `held`. */
function older(cohort: Cohort<Receiver>, than: number, held: number): number {
  if (cohort.newerThanBase === NO_TICK || isBefore(than, cohort.newerThanBase)) cohort.newerThanBase = than;
  return held;
}

function isBefore(tick: number, other: number): boolean {
  return ((tick - other) | 0) < 0;
}

function cohortOf<R extends Receiver>(
  receiver: R,
  arrived: Int32Array,
  removed: readonly number[],
  of: Pick<Cohort<R>, "content" | "rows" | "isAlone">,
): Cohort<R> {
  return {
    receivers: [receiver],
    arrived,
    used: noTicks(),
    base: receiver.base,
    usesBase: false,
    newerThanBase: NO_TICK,
    removed,
    ...of,
  };
}

/** Returns true if a receiver that has these ticks gets the same packets as the cohort. */
function isSame(
  cohort: Cohort<Receiver>,
  { isInOrder, base, isBaseEmpty }: Receiver,
  arrived: Int32Array,
  removed: readonly number[],
): boolean {
  return (
    !cohort.isAlone &&
    cohort.receivers[0]!.isInOrder === isInOrder &&
    cohort.receivers[0]!.isBaseEmpty === isBaseEmpty &&
    isSameIn(cohort.used, cohort.arrived, arrived) &&
    isSameBase(cohort, base) &&
    cohort.removed.length === removed.length &&
    removed.every((id, index) => id === cohort.removed[index])
  );
}

function isSameBase({ base, usesBase, newerThanBase }: Cohort<Receiver>, other: number): boolean {
  if (base === other) return true;
  if (base === NO_TICK || usesBase) return false;
  return newerThanBase === NO_TICK || (other !== NO_TICK && isBefore(other, newerThanBase));
}

/** Returns the words of a window without the ticks after `newest`. */
function upTo(arrived: TickWindow, newest: number): Int32Array {
  if (arrived.newest === newest) return arrived.words;
  const words = arrived.words.slice();
  for (let tick = arrived.newest; isBefore(newest, tick); tick = (tick - 1) >>> 0) removeTick(words, tick);
  return words;
}
