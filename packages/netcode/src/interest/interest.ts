import { ConfigError, assertWhole } from "@paceline/protocol";
import type { Awareness, Nimbus } from "./aura.js";
import { CellIndex } from "./cell-index.js";
import type { CellScheme } from "./cell-scheme.js";
import { UNSEEN } from "./cell-view.js";
import { CellVisibility } from "./cell-visibility.js";
import { Degradation } from "./degradation.js";
import { InterestFaults, type InterestFault, type InterestFaultKind } from "./interest-faults.js";
import {
  interestPlan,
  type InterestLevel,
  type InterestOptions,
  type InterestPlan,
  type Rectangle,
} from "./interest-options.js";
import { ListWorkspace, PrivateList } from "./private-list.js";
import { SquareGrid } from "./square-grid.js";
import { ViewBudget, type BudgetTerms } from "./view-budget.js";
import { ViewQuery } from "./view-query.js";
import { windowEdge } from "./view-window.js";
import { Viewer } from "./viewer.js";

const MAX_ID = 0xffff;
const idRange = { min: 0, max: MAX_ID, unit: "an entity's id" };
/** Time that the game's rule may take in an update, ms. Viewers for whom it is too late wait for the next. */
const MAX_RULE_MS = 5;

/** A room's facts and callbacks. */
export interface InterestFacts {
  /** The range of positions, m: the world, if the options name none. */
  readonly world: Rectangle;
  readonly tickHz: number;
  /** An entity is in another cell since the last update: `NOWHERE` if it is new, or was removed. */
  readonly onMoved: (entity: number, cell: number, previousCell: number) => void;
  /** A viewer sees a cell at another level: `UNSEEN` if not at all. */
  readonly onView: (viewer: Viewer, cell: number, level: number, previousLevel: number) => void;
  /** The first fault of each kind; {@link Interest.faults} counts all. */
  readonly onFault?: (fault: InterestFault) => void;
  /** Returns the player of a viewer, for the functions of a scheme. Default: the viewer's number. */
  readonly viewerOf?: (viewer: number) => unknown;
  /** A clock that limits the time of the game's rule, ms. Default: no limit. */
  readonly nowMs?: () => number;
}

/** How an entity's kind matters. */
export interface EntityInterest {
  /** True if it concerns every viewer, wherever it is. Default false. */
  readonly always?: boolean;
  /** Importance in a crowd, above 0, up to 1000. Default 1. */
  readonly weight?: number;
  /** How far it is noticed, in a room whose scheme is `aura`. */
  readonly nimbusM?: Nimbus;
}

const ordinary: EntityInterest = {};

/**
 * Which entities concern which viewer, at which level of detail. The unit is the *cell*: an entity is in one
 * cell, a viewer sees cells, each at a level. So what is sent of a cell at a level is encoded once for all its
 * viewers, and a viewer gets nothing of an entity outside the cells that it sees: up to {@link marginM} beyond
 * the outer radius, never more. It gets everything within 0.9 of it. Both count from the update.
 *
 * Viewers who need exactness (`relevant`, or a crowd above `maxEntities`) see no cells: they have a
 * {@link Viewer.list} of their own.
 *
 * Each tick: {@link move} what has moved, then {@link update}, whose callbacks say what has changed. What is
 * between two updates is as of the last one. {@link move} and {@link update} do not throw: faults are counted, and
 * the first of each kind is told. In steady state nothing is allocated.
 */
export class Interest {
  readonly levels: readonly InterestLevel[];
  /** Largest distance beyond the outer radius at which an entity may still be in view, m. */
  readonly marginM: number;
  readonly index: CellIndex;
  readonly #plan: InterestPlan;
  readonly #facts: InterestFacts;
  readonly #grid: CellScheme;
  readonly #visibility: CellVisibility | undefined;
  readonly #awareness: Awareness | undefined;
  readonly #degradation: Degradation;
  readonly #budgetTerms: BudgetTerms;
  readonly #workspace: ListWorkspace;
  readonly #faults: InterestFaults;
  readonly #viewers: Viewer[] = [];
  readonly #onMoved: InterestFacts["onMoved"];
  readonly #query: ViewQuery;
  /** The viewer of {@link #onRing}, and its step of degradation before the present update. */
  #changing: Viewer | undefined;
  #stepBefore = 0;
  readonly #onRing = (cell: number, ring: number, previousRing: number): void => {
    const viewer = this.#changing!;
    const previous = this.#degradation.levelOf(this.#stepBefore, previousRing);
    const level = this.#degradation.levelOf(viewer.budget.step, ring);
    if (level !== previous) this.#facts.onView(viewer, cell, level, previous);
  };
  /** The viewer whose list is updated first: the first that had to wait. */
  #firstList = 0;

  /** Throws {@link ConfigError} for a wrong option. */
  constructor(options: InterestOptions, facts: InterestFacts) {
    const plan = interestPlan(options, facts.world);
    this.#plan = plan;
    this.#facts = facts;
    this.#onMoved = facts.onMoved;
    this.levels = plan.levels;
    this.#faults = new InterestFaults((fault) => facts.onFault?.(fault));
    const { newCells, newAwareness } = plan.scheme?.parts ?? {};
    this.#grid = newCells?.(plan) ?? new SquareGrid(plan);
    this.index = new CellIndex(this.#grid);
    this.#awareness = newAwareness?.({
      ...{ plan, index: this.index, faults: this.#faults },
      viewerOf: facts.viewerOf ?? ((id) => id),
    });
    // An exact rule shows nothing beyond its distances.
    this.marginM = this.#awareness ? 0 : this.#grid.marginM;
    const { cellVisible } = plan;
    this.#visibility =
      cellVisible && new CellVisibility(this.#grid, windowEdge(plan) ** 2, cellVisible, this.#faults);
    this.#degradation = new Degradation(plan);
    const privateLists = plan.relevant !== undefined || this.#awareness !== undefined;
    this.#budgetTerms = { plan, degradation: this.#degradation, tickHz: facts.tickHz, privateLists };
    this.#workspace = new ListWorkspace(plan, this.index, this.#faults, this.#awareness);
    this.#query = new ViewQuery(this.index, this.#degradation);
  }

  /** Number of faults by kind. */
  get faults(): Readonly<Record<InterestFaultKind, number>> {
    return this.#faults.counts;
  }

  /**
   * Adds an entity at a place, m; moves it if it is there. Throws {@link ConfigError} for a wrong id, place or
   * weight.
   */
  place(id: number, x: number, y: number, kind: EntityInterest = ordinary): void {
    const { always = false, weight = 1, nimbusM } = kind;
    assertWhole("id", id, idRange);
    if (!Number.isFinite(x)) throw new ConfigError("x", x, "a finite number (m)");
    if (!Number.isFinite(y)) throw new ConfigError("y", y, "a finite number (m)");
    if (!(weight > 0 && weight <= 1000)) throw new ConfigError("weight", weight, "above 0, up to 1000");
    if (!this.#grid.holds(x, y)) this.#faults.count("outside", id);
    const slot = this.index.slotOf(id);
    if (slot < 0) this.#awareness?.place(id, nimbusM);
    if (slot >= 0) this.index.move(slot, this.#grid.clampX(x), this.#grid.clampY(y));
    else this.index.place(id, this.#grid.clampX(x), this.#grid.clampY(y), weight, always);
  }

  /**
   * Moves an entity to a place, m. Others than those that were placed are ignored, and so is a place that is no
   * finite number: that is counted.
   */
  move(id: number, x: number, y: number): void {
    const slot = this.index.slotOf(id);
    if (slot < 0) return;
    if (this.#grid.holds(x, y)) this.index.move(slot, x, y);
    else if (Number.isFinite(x) && Number.isFinite(y)) this.place(id, x, y);
    else this.#faults.count("position", id);
  }

  /** Removes an entity. Its id may be placed again at once: that is another entity. */
  remove(id: number): void {
    const slot = this.index.slotOf(id);
    if (slot >= 0) this.index.removeAt(slot);
  }

  /** @param id the room's number of the player or spectator; `relevant` gets it */
  addViewer(id: number): Viewer {
    const viewer = new Viewer(id, {
      grid: this.#grid,
      index: this.index,
      faults: this.#faults,
      view: this.#grid.newView(this.#plan, this.#visibility),
      budget: new ViewBudget(this.#budgetTerms),
    });
    this.#viewers.push(viewer);
    return viewer;
  }

  /** Removes a viewer, and reports all cells that it saw as unseen. */
  removeViewer(viewer: Viewer): void {
    const at = this.#viewers.indexOf(viewer);
    if (at < 0) return;
    this.#viewers.splice(at, 1);
    const { view, budget } = viewer;
    for (let each = 0; each < view.seenCount; each++) {
      const level = this.#degradation.levelOf(budget.step, view.seenRings[each]!);
      if (level !== UNSEEN) this.#facts.onView(viewer, view.seenCells[each]!, UNSEEN, level);
    }
    this.#setSeesEverywhere(viewer, false);
  }

  /** True if it is the turn of a cell's group at a level. Turns of cells are spread over the ticks. */
  isTurn(cell: number, level: number, tick: number): boolean {
    return (tick + cell) % this.levels[level]!.everyTicks === 0;
  }

  /** Takes the places of all entities and viewers at a tick, and reports changes: first of entities, then of views. */
  update(tick: number): void {
    this.#grid.adapt(this.index);
    this.index.sort(this.#onMoved);
    for (const viewer of this.#viewers) this.#refresh(viewer);
    this.#updateLists(tick);
  }

  /**
   * Writes the entities that a viewer sees and their levels, each once, in no order. Returns their number; those
   * that do not fit into the arrays are counted and not written.
   */
  query(viewer: Viewer, ids: Uint32Array, levels: Uint8Array): number {
    return this.#query.run(viewer, ids, levels);
  }

  /** Returns the level at which a viewer sees an entity since the last {@link update}; `UNSEEN` if not at all. */
  levelOf(viewer: Viewer, id: number): number {
    return this.#query.levelOf(viewer, id);
  }

  #refresh(viewer: Viewer): void {
    const { view, budget, bound } = viewer;
    const stepBefore = budget.step;
    this.#changing = viewer;
    this.#stepBefore = stepBefore;
    viewer.locate();
    bound.dropRemoved();
    const hasChanged = viewer.takeMove() && view.look(viewer.cell, viewer.viewpoint, this.#onRing);
    view.count(this.index);
    budget.choose(view.counts, this.index.counts[this.index.everywhere]! + bound.count);
    if (hasChanged) view.report(this.#onRing);
    else if (budget.step !== stepBefore)
      for (let each = 0; each < view.seenCount; each++)
        this.#onRing(view.seenCells[each]!, view.seenRings[each]!, view.seenRings[each]!);
    if (budget.isExceeded) this.#faults.count("budget", undefined, viewer.id);
    this.#setSeesEverywhere(viewer, !budget.hasPrivateList);
    if (!budget.hasPrivateList) viewer.list = undefined;
    else if (!viewer.list) {
      viewer.list = new PrivateList(viewer, this.#workspace);
      if (!this.#budgetTerms.privateLists) this.#faults.count("crowd", undefined, viewer.id);
    }
  }

  #setSeesEverywhere(viewer: Viewer, sees: boolean): void {
    if (viewer.seesEverywhere === sees) return;
    viewer.seesEverywhere = sees;
    this.#facts.onView(viewer, this.index.everywhere, sees ? 0 : UNSEEN, sees ? UNSEEN : 0);
  }

  #updateLists(tick: number): void {
    const viewers = this.#viewers;
    const nowMs = this.#budgetTerms.privateLists ? this.#facts.nowMs : undefined;
    const endMs = nowMs ? nowMs() + MAX_RULE_MS : Infinity;
    const first = this.#firstList;
    for (let each = 0; each < viewers.length; each++) {
      const { list } = viewers[(first + each) % viewers.length]!;
      if (!list) continue;
      if (nowMs && nowMs() >= endMs) {
        this.#firstList = (first + each) % viewers.length;
        this.#faults.count("slow-rule");
        return;
      }
      list.update(tick);
    }
  }
}
