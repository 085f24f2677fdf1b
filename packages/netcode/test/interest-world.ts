import { seededRandom, type Random } from "@paceline/testkit";
import { Interest } from "../src/interest/interest.js";
import type { InterestFault } from "../src/interest/interest-faults.js";
import type { InterestOptions, Rectangle } from "../src/interest/interest-options.js";
import { NOWHERE } from "../src/interest/cell-scheme.js";
import { UNSEEN } from "../src/interest/cell-view.js";
import type { Viewer } from "../src/interest/viewer.js";

export const TICK_HZ = 20;
export const WORLD: Rectangle = { minX: -100, minY: -50, maxX: 100, maxY: 150 };

/** Keeps what a consumer knows that hears of changes alone, and refuses changes that do not fit together. */
export class InterestWorld {
  readonly interest: Interest;
  readonly faults: InterestFault[] = [];
  readonly cellOf = new Map<number, number>();
  readonly levels = new Map<Viewer, Map<number, number>>();
  readonly lists = new Map<Viewer, Set<number>>();
  /** Number of changes since it was last set. */
  changes = 0;
  tick = 0;
  readonly #answer = { ids: new Uint32Array(70_000), levels: new Uint8Array(70_000) };

  constructor(options: InterestOptions, facts: { world?: Rectangle; nowMs?: () => number } = {}) {
    this.interest = new Interest(options, {
      world: WORLD,
      tickHz: TICK_HZ,
      ...facts,
      onMoved: (entity, cell, previous) => this.#moved(entity, cell, previous),
      onView: (viewer, cell, level, previous) => this.#viewed(viewer, cell, level, previous),
      onFault: (fault) => this.faults.push(fault),
    });
  }

  addViewer(id = 0): Viewer {
    const viewer = this.interest.addViewer(id);
    this.levels.set(viewer, new Map());
    return viewer;
  }

  removeViewer(viewer: Viewer): void {
    this.interest.removeViewer(viewer);
    if (this.levels.get(viewer)!.size > 0) throw new Error("a removed viewer still sees cells");
    this.levels.delete(viewer);
    this.lists.delete(viewer);
  }

  update(times = 1): void {
    for (let each = 0; each < times; each++) {
      this.interest.update(++this.tick);
      for (const viewer of this.levels.keys()) this.#readList(viewer);
    }
  }

  /** Returns the view as the query answers: level by id. */
  view(viewer: Viewer): Map<number, number> {
    const { ids, levels } = this.#answer;
    const count = this.interest.query(viewer, ids, levels);
    const view = new Map(Array.from(ids.subarray(0, count), (id, at) => [id, levels[at]!]));
    if (view.size !== count) throw new Error("an entity is twice in a view");
    return view;
  }

  /** Returns the view as the reported changes have made it. */
  reported(viewer: Viewer): Map<number, number> {
    const list = this.lists.get(viewer);
    if (list) return new Map(Array.from(list, (id) => [id, this.view(viewer).get(id) ?? UNSEEN]));
    const cells = this.levels.get(viewer)!;
    const seen = Array.from(this.cellOf).flatMap(([id, cell]): [number, number][] => {
      const level = cells.get(cell);
      return level === undefined ? [] : [[id, level]];
    });
    const { bound } = viewer;
    return new Map([
      ...seen,
      ...Array.from(bound.ids.subarray(0, bound.count), (id): [number, number] => [id, 0]),
    ]);
  }

  #moved(entity: number, cell: number, previous: number): void {
    this.changes += 1;
    if ((this.cellOf.get(entity) ?? NOWHERE) !== previous) throw new Error("an entity was in another cell");
    if (cell === NOWHERE) this.cellOf.delete(entity);
    else this.cellOf.set(entity, cell);
  }

  #viewed(viewer: Viewer, cell: number, level: number, previous: number): void {
    this.changes += 1;
    const cells = this.levels.get(viewer)!;
    if ((cells.get(cell) ?? UNSEEN) !== previous || level === previous)
      throw new Error("a viewer saw a cell at another level");
    if (level === UNSEEN) cells.delete(cell);
    else cells.set(cell, level);
  }

  #readList(viewer: Viewer): void {
    const { list } = viewer;
    if (!list) {
      this.lists.delete(viewer);
      return;
    }
    if (list.tick !== this.tick) return;
    let known = this.lists.get(viewer);
    if (!known) this.lists.set(viewer, (known = new Set()));
    for (let at = 0; at < list.left.count; at++)
      if (!known.delete(list.left.values[at]!)) throw new Error("an entity left that was not in the list");
    for (let at = 0; at < list.entered.count; at++) {
      if (known.has(list.entered.values[at]!)) throw new Error("an entity entered that was in the list");
      known.add(list.entered.values[at]!);
    }
    this.changes += list.left.count + list.entered.count;
  }
}

export interface Point {
  x: number;
  y: number;
}

export function distanceM(a: Point, b: Point): number {
  return Math.hypot(a.x - b.x, a.y - b.y);
}

/** Returns a place in the world. One of eight lies on its border. */
export function drawnPlace(random: Random, { minX, minY, maxX, maxY }: Rectangle = WORLD): Point {
  const place = { x: minX + random.next() * (maxX - minX), y: minY + random.next() * (maxY - minY) };
  if (random.bool(1 / 16)) place.x = random.bool(0.5) ? minX : maxX;
  if (random.bool(1 / 16)) place.y = random.bool(0.5) ? minY : maxY;
  return place;
}

export { seededRandom };
