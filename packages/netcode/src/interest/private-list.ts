import { ConfigError } from "@paceline/protocol";
import type { Awareness } from "./aura.js";
import type { BoundEntities } from "./bound-entities.js";
import { larger, type CellIndex } from "./cell-index.js";
import type { InterestFaults } from "./interest-faults.js";
import { ENTER_SHARE, type InterestPlan } from "./interest-options.js";
import { PriorityHeap } from "./priority-heap.js";
import type { ViewBudget } from "./view-budget.js";
import { UNSEEN, type CellView } from "./cell-view.js";

/** Candidates that a list looks at in one update, for each entity that it may hold. */
const CANDIDATES_PER_PLACE = 4;

/** The viewer of a list, as the list sees it. */
export interface ListViewer {
  readonly id: number;
  /** Its x and y, m. */
  readonly viewpoint: Float64Array;
  readonly bound: BoundEntities;
  readonly view: CellView;
  readonly budget: ViewBudget;
}

/** Facts and buffers that all private lists of a room share. */
export class ListWorkspace {
  readonly plan: InterestPlan;
  readonly index: CellIndex;
  readonly faults: InterestFaults;
  /** Undefined: a viewer perceives all in its cells. */
  readonly awareness: Awareness | undefined;
  readonly heap = new PriorityHeap();
  /** Number of the present update of a list. A slot is marked if its entry equals it. */
  stamp = 0;
  considered = new Uint32Array(0);
  included = new Uint32Array(0);
  before = new Uint32Array(0);
  /** Place in the list before, if `before` is marked. */
  places = new Uint16Array(0);

  constructor(plan: InterestPlan, index: CellIndex, faults: InterestFaults, awareness?: Awareness) {
    this.plan = plan;
    this.index = index;
    this.faults = faults;
    this.awareness = awareness;
  }

  /** Begins an update: no slot is marked. */
  begin(): void {
    this.stamp += 1;
    const { capacity } = this.index;
    if (this.considered.length >= capacity) return;
    this.considered = larger(this.considered, capacity);
    this.included = larger(this.included, capacity);
    this.before = larger(this.before, capacity);
    this.places = larger(this.places, capacity);
  }
}

/** Entities with what a list knows of them. */
class Entries {
  count = 0;
  ids = new Uint16Array(16);
  serials = new Uint32Array(16);
  levels = new Uint16Array(16);
  sentTicks = new Uint32Array(16);

  add(): number {
    const at = this.count++;
    if (at < this.ids.length) return at;
    this.ids = larger(this.ids, this.count);
    this.serials = larger(this.serials, this.count);
    this.levels = larger(this.levels, this.count);
    this.sentTicks = larger(this.sentTicks, this.count);
    return at;
  }
}

/** A growing list of ids. */
class Ids {
  count = 0;
  values = new Uint16Array(16);

  add(id: number): void {
    if (this.count === this.values.length) this.values = larger(this.values, this.count + 1);
    this.values[this.count++] = id;
  }
}

/**
 * The entities of one viewer who shares no cells with others, because the game has an exact rule or too many
 * entities are near: at most `maxEntities`, those of the highest weight and nearness, and all that are always
 * relevant. A present entity stays unless another one is better by a tenth. In a larger crowd, each update
 * looks at a part of it, so that the cost has a limit.
 */
export class PrivateList {
  /** Entities that entered in the last update. An id in `left` too was removed and used again: first left. */
  readonly entered = new Ids();
  readonly left = new Ids();
  /** Tick of the last update. An older list waits, because the game's rule took too long: send nothing of it. */
  tick = -1;
  readonly #viewer: ListViewer;
  readonly #workspace: ListWorkspace;
  #now = new Entries();
  #next = new Entries();
  #offset = 0;
  /** True if more entities are in view than fit. */
  #isCrowd = false;

  constructor(viewer: ListViewer, workspace: ListWorkspace) {
    this.#viewer = viewer;
    this.#workspace = workspace;
  }

  get count(): number {
    return this.#now.count;
  }

  idAt(place: number): number {
    return this.#now.ids[place]!;
  }

  /** Returns the level of an entity; `UNSEEN` if it is not in the list. */
  levelOf(id: number): number {
    const { ids, levels, count } = this.#now;
    for (let at = 0; at < count; at++) if (ids[at] === id) return levels[at]!;
    return UNSEEN;
  }

  levelAt(place: number): number {
    return this.#now.levels[place]!;
  }

  update(tick: number): void {
    const { index } = this.#workspace;
    this.#workspace.begin();
    this.#workspace.awareness?.begin(this.#viewer);
    this.tick = tick;
    this.#next.count = this.entered.count = this.left.count = 0;
    this.#markBefore();
    const { bound } = this.#viewer;
    for (let each = 0; each < bound.count; each++) this.#includeAlways(index.slotOf(bound.ids[each]!), true);
    const first = index.starts[index.everywhere]!;
    const end = first + index.counts[index.everywhere]!;
    for (let at = first; at < end; at++) this.#includeAlways(index.slotOf(index.members[at]!), false);
    this.#chooseBest();
    this.#findLeft();
    const old = this.#now;
    this.#now = this.#next;
    this.#next = old;
  }

  /**
   * Writes the ids of the entities whose turn it is, the most urgent first (weight x time waited x nearness), as
   * many as fit and the viewer's budget affords. Returns their number. They count as sent: entities that are
   * left out become more urgent, so that none starves.
   */
  due(tick: number, ids: Uint16Array): number {
    const { heap, plan, index } = this.#workspace;
    const { budget } = this.#viewer;
    const list = this.#now;
    heap.clear(Math.min(ids.length, budget.affordable, list.count));
    let wanted = 0;
    for (let at = 0; at < list.count; at++) {
      const waitedTicks = (tick - list.sentTicks[at]!) >>> 0;
      if (waitedTicks < plan.levels[list.levels[at]!]!.everyTicks) continue;
      const slot = index.slotOfSerial(list.ids[at]!, list.serials[at]!);
      if (slot < 0) continue;
      wanted += 1;
      this.#offerMerit(slot);
      heap.next[0]! *= waitedTicks;
      heap.push(at);
    }
    const count = heap.size;
    for (let each = count - 1; each >= 0; each--) {
      const at = heap.pop();
      ids[each] = list.ids[at]!;
      list.sentTicks[at] = tick;
    }
    budget.took(count, wanted);
    return count;
  }

  #markBefore(): void {
    const { index, before, places, stamp } = this.#workspace;
    for (let at = 0; at < this.#now.count; at++) {
      const slot = index.slotOfSerial(this.#now.ids[at]!, this.#now.serials[at]!);
      if (slot < 0) this.left.add(this.#now.ids[at]!);
      else {
        before[slot] = stamp;
        places[slot] = at;
      }
    }
  }

  #includeAlways(slot: number, isBound: boolean): void {
    const { considered, stamp } = this.#workspace;
    if (slot < 0 || considered[slot] === stamp) return;
    considered[slot] = stamp;
    if (isBound || this.#isRelevant(slot)) this.#include(slot, 0);
  }

  #chooseBest(): void {
    const { index, heap, plan } = this.#workspace;
    let total = 0;
    for (const count of this.#viewer.view.counts) total += count;
    this.#isCrowd = total > plan.maxEntities;
    heap.clear(plan.maxEntities);
    // In a crowd, those in the list may be outside the part that is looked at.
    for (let at = 0; this.#isCrowd && at < this.#now.count; at++) {
      const slot = index.slotOfSerial(this.#now.ids[at]!, this.#now.serials[at]!);
      if (slot >= 0 && this.#viewer.view.ringOf(index.cells[slot]!) !== UNSEEN) this.#consider(slot);
    }
    if (total > 0) this.#considerCells(total);
    for (let slot = heap.pop(); slot >= 0; slot = heap.pop())
      this.#include(slot, this.#viewer.view.ringOf(index.cells[slot]!));
  }

  /** Looks at the entities of all cells in view, or at the next part of a crowd. */
  #considerCells(total: number): void {
    const { index, plan } = this.#workspace;
    const { view } = this.#viewer;
    let unseen = Math.min(total, CANDIDATES_PER_PLACE * plan.maxEntities);
    let skipped = this.#offset % total;
    this.#offset = skipped + unseen;
    // The part may begin in the last cell and go on in the first.
    for (let each = 0; unseen > 0; each = (each + 1) % view.seenCount) {
      const cell = view.seenCells[each]!;
      const count = index.counts[cell]!;
      for (let member = skipped; member < count && unseen > 0; member++, unseen--)
        this.#consider(index.slotOf(index.members[index.starts[cell]! + member]!));
      skipped = Math.max(0, skipped - count);
    }
  }

  #consider(slot: number): void {
    const { index, considered, before, stamp, heap, awareness } = this.#workspace;
    if (considered[slot] === stamp) return;
    considered[slot] = stamp;
    if (awareness && !awareness.perceives(slot, before[slot] === stamp)) return;
    if (!this.#isRelevant(slot)) return;
    if (this.#isCrowd) {
      this.#offerMerit(slot);
      if (before[slot] === stamp) heap.next[0]! /= ENTER_SHARE;
      heap.push(slot);
    } else this.#include(slot, this.#viewer.view.ringOf(index.cells[slot]!));
  }

  /** Makes the next priority weight x nearness: 1 at the viewer, one half at the nearest ring's radius. */
  #offerMerit(slot: number): void {
    const { index, plan, heap } = this.#workspace;
    const x = index.x[slot]! - this.#viewer.viewpoint[0]!;
    const y = index.y[slot]! - this.#viewer.viewpoint[1]!;
    heap.next[0] = index.weights[slot]! / (1 + Math.sqrt(x * x + y * y) / plan.radiiM[0]!);
  }

  #isRelevant(slot: number): boolean {
    const { plan, index, faults } = this.#workspace;
    if (!plan.relevant) return true;
    const id = index.ids[slot]!;
    try {
      const answer: unknown = plan.relevant(this.#viewer.id, id);
      if (typeof answer === "boolean") return answer;
      // A promise would be true for everything.
      throw new ConfigError("interest.relevant", answer, "true or false, at once");
    } catch (error) {
      faults.count("rule", id, this.#viewer.id, error);
      return false;
    }
  }

  #include(slot: number, level: number): void {
    const { index, included, before, places, stamp, plan } = this.#workspace;
    included[slot] = stamp;
    const next = this.#next;
    const at = next.add();
    const id = index.ids[slot]!;
    next.ids[at] = id;
    next.serials[at] = index.serialAt(slot);
    next.levels[at] = level;
    if (before[slot] === stamp) next.sentTicks[at] = this.#now.sentTicks[places[slot]!]!;
    else {
      // It is due at once.
      next.sentTicks[at] = this.tick - plan.levels[level]!.everyTicks;
      this.entered.add(id);
    }
  }

  #findLeft(): void {
    const { index, included, stamp } = this.#workspace;
    for (let at = 0; at < this.#now.count; at++) {
      const slot = index.slotOfSerial(this.#now.ids[at]!, this.#now.serials[at]!);
      if (slot >= 0 && included[slot] !== stamp) this.left.add(this.#now.ids[at]!);
    }
  }
}
