import { ConfigError } from "@paceline/protocol";
import { BoundEntities } from "./bound-entities.js";
import type { CellIndex } from "./cell-index.js";
import type { InterestFaults } from "./interest-faults.js";
import type { ListViewer, PrivateList } from "./private-list.js";
import { NOWHERE, type CellScheme } from "./cell-scheme.js";
import type { ViewBudget } from "./view-budget.js";
import type { CellView } from "./cell-view.js";

/** The parts of a viewer, made by `Interest.addViewer`. */
export interface ViewerParts {
  readonly grid: CellScheme;
  readonly index: CellIndex;
  readonly faults: InterestFaults;
  readonly view: CellView;
  readonly budget: ViewBudget;
}

/** A player or spectator whose view is kept. It looks from an entity that it follows, or from a point. */
export class Viewer implements ListViewer {
  /** The number that the room gave it. */
  readonly id: number;
  /** Its x and y, m; meaningless while it has no {@link cell}. In an array, since each write to a field is an object. */
  readonly viewpoint = new Float64Array(2);
  /** The cell of its viewpoint; `NOWHERE` before the first. */
  cell = NOWHERE;
  readonly bound: BoundEntities;
  readonly view: CellView;
  readonly budget: ViewBudget;
  /** The entities that are chosen for it alone; undefined while it sees whole cells. */
  list: PrivateList | undefined;
  /** True while it sees the entities that concern everybody, as a whole cell. */
  seesEverywhere = false;
  readonly #parts: ViewerParts;
  /** The viewpoint from which the rings were measured, m. */
  readonly #measured = new Float64Array(2).fill(NaN);
  #measuredVersion = 0;
  #followed = -1;
  #followedSerial = 0;

  constructor(id: number, parts: ViewerParts) {
    this.id = id;
    this.#parts = parts;
    this.view = parts.view;
    this.budget = parts.budget;
    this.bound = new BoundEntities(parts.index);
  }

  /**
   * Looks from an entity from the next update on. If the entity is removed, the viewer keeps its last viewpoint.
   * Throws {@link ConfigError} if there is no such entity.
   */
  follow(entity: number): void {
    const slot = this.#parts.index.slotOf(entity);
    if (slot < 0) throw new ConfigError("viewpoint", entity, "the id of an entity that is placed");
    this.#followed = entity;
    this.#followedSerial = this.#parts.index.serialAt(slot);
  }

  /** Follows nothing any more, and keeps its viewpoint. */
  stay(): void {
    this.#followed = -1;
  }

  /** Looks from a point, m. A place that is no finite number is ignored and counted. */
  look(x: number, y: number): void {
    const { grid, faults } = this.#parts;
    if (!Number.isFinite(x) || !Number.isFinite(y)) {
      faults.count("position", undefined, this.id);
      return;
    }
    this.#followed = -1;
    this.viewpoint[0] = grid.clampX(x);
    this.viewpoint[1] = grid.clampY(y);
    this.#findCell();
    if (!grid.holds(x, y)) faults.count("outside", undefined, this.id);
  }

  /**
   * Makes an entity always relevant to this viewer: its own, its target, one of its team. At most 64; a removed
   * entity does not count. Throws {@link ConfigError} otherwise.
   */
  bind(entity: number): void {
    this.bound.add(entity);
  }

  unbind(entity: number): void {
    this.bound.delete(entity);
  }

  /** Records the bytes of states that it got since the last update, heads included. */
  spent(bytes: number): void {
    this.budget.spent(bytes);
  }

  /** Takes the place of the followed entity. */
  locate(): void {
    if (this.#followed < 0) return;
    const { index, faults } = this.#parts;
    const slot = index.slotOfSerial(this.#followed, this.#followedSerial);
    if (slot < 0) {
      faults.count("viewpoint", this.#followed, this.id);
      this.#followed = -1;
      return;
    }
    this.viewpoint[0] = index.x[slot]!;
    this.viewpoint[1] = index.y[slot]!;
    this.#findCell();
  }

  /** Returns true, once, if the rings have to be measured from where it is now. */
  takeMove(): boolean {
    if (this.cell === NOWHERE) return false;
    const { borderM, version } = this.#parts.grid;
    const x = this.viewpoint[0]! - this.#measured[0]!;
    const y = this.viewpoint[1]! - this.#measured[1]!;
    // Not a number before the first time.
    if (x * x + y * y <= borderM * borderM && version === this.#measuredVersion) return false;
    if (version !== this.#measuredVersion) this.#findCell();
    this.#measuredVersion = version;
    this.#measured[0] = this.viewpoint[0]!;
    this.#measured[1] = this.viewpoint[1]!;
    return true;
  }

  #findCell(): void {
    this.cell = this.#parts.grid.cellAt(this.viewpoint[0]!, this.viewpoint[1]!, this.cell);
  }
}
