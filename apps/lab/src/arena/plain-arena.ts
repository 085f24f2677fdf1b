import { SIZE_M, moveCells, radiusOf, type Point } from "@paceline/example-arena/world";

/** The screen of a page, m. */
const SCREEN = { width: 200, height: 150 };
const FOOD = 1000;
const VIRUSES = 50;
const VIRUS_MASS = 100;
const START_MASS = 20;
const MAX_CELLS = 16;
const RIPE_MS = 15_000;

interface Thing {
  readonly id: number;
  readonly kind: "cell" | "food" | "virus";
  readonly position: Point;
  readonly color: number;
}
interface Body extends Thing {
  readonly kind: "cell";
  readonly owner: Eater;
  mass: number;
  ripe: boolean;
  ripeAtMs: number;
}

export interface Eater {
  readonly name: string;
  readonly input: Point;
  cells: Body[];
}

/** A state for one page. Plain objects, as many first versions of such games send. */
export interface Screen {
  readonly cells: readonly object[];
  readonly food: readonly object[];
  readonly viruses: readonly object[];
}

/** The rules of the starter `arena` on plain objects, without a library for states. */
export class PlainArena {
  readonly eaters = new Set<Eater>();
  readonly food = new Set<Thing>();
  readonly viruses = new Set<Thing>();
  #nextId = 1;
  #nowMs = 0;

  constructor() {
    for (let piece = 0; piece < FOOD; piece++) this.#sow("food");
    for (let virus = 0; virus < VIRUSES; virus++) this.#sow("virus");
  }

  *cells(): Generator<Body> {
    for (const { cells } of this.eaters) yield* cells;
  }

  step(seconds: number): void {
    this.#nowMs += seconds * 1000;
    for (const eater of this.eaters) {
      if (eater.cells.length === 0) this.#add(eater, START_MASS, somewhere());
      for (const cell of eater.cells) cell.ripe = this.#nowMs > cell.ripeAtMs;
      moveCells(eater.cells, eater.input, seconds);
    }
    this.#meet();
  }

  splitAll({ cells }: Eater): void {
    for (const cell of [...cells]) this.#split(cell, 2);
  }

  screenOf({ cells }: Eater): Screen {
    const middle = cells[0]?.position ?? { x: SIZE_M / 2, y: SIZE_M / 2 };
    const isIn = ({ position }: Thing): boolean =>
      Math.abs(position.x - middle.x) < SCREEN.width / 2 &&
      Math.abs(position.y - middle.y) < SCREEN.height / 2;
    const raw = ({ id, position: { x, y }, color }: Thing): object => ({ id, x, y, color });
    return {
      cells: [...this.cells()]
        .filter(isIn)
        .map(({ id, position: { x, y }, mass, owner }) => ({ id, x, y, mass, name: owner.name })),
      food: [...this.food].filter(isIn).map(raw),
      viruses: [...this.viruses].filter(isIn).map(raw),
    };
  }

  leaders(): { readonly name: string; readonly mass: number }[] {
    return [...this.eaters]
      .map(({ name, cells }) => ({ name, mass: cells.reduce((sum, { mass }) => sum + mass, 0) }))
      .toSorted((one, other) => other.mass - one.mass)
      .slice(0, 10);
  }

  #sow(kind: "food" | "virus"): void {
    const id = this.#nextId++;
    const things = kind === "food" ? this.food : this.viruses;
    things.add({ id, kind, position: somewhere(), color: id % 6 });
  }

  #add(owner: Eater, mass: number, { x, y }: Readonly<Point>): void {
    const position = { x: inside(x), y: inside(y) };
    const ripeAtMs = this.#nowMs + RIPE_MS;
    owner.cells.push({
      id: this.#nextId++,
      kind: "cell",
      position,
      color: 0,
      owner,
      mass,
      ripe: false,
      ripeAtMs,
    });
  }

  #split(cell: Body, parts: number): void {
    const places = MAX_CELLS + 1 - cell.owner.cells.length;
    const count = Math.min(parts, places, Math.floor(cell.mass / START_MASS));
    if (count < 2) return;
    cell.mass = Math.floor(cell.mass / count);
    cell.ripeAtMs = this.#nowMs + RIPE_MS;
    const { x, y } = cell.position;
    const farM = 3 * radiusOf(cell.mass);
    for (let part = 1; part < count; part++) {
      const angle = (2 * Math.PI * part) / count;
      this.#add(cell.owner, cell.mass, { x: x + farM * Math.cos(angle), y: y + farM * Math.sin(angle) });
    }
  }

  #meet(): void {
    const things: Thing[] = [...this.cells(), ...this.food, ...this.viruses];
    const places = things.map((thing) => ({ thing, x: thing.position.x, isEaten: false }));
    places.sort((one, other) => one.x - other.x);
    for (const [index, { thing: cell, x, isEaten }] of places.entries()) {
      if (!isCell(cell) || isEaten) continue;
      const radiusM = radiusOf(cell.mass);
      for (const step of [-1, 1])
        for (let at = index + step, near; (near = places[at]) && Math.abs(near.x - x) < radiusM; at += step)
          near.isEaten ||= distance(near.thing, cell) < radiusM && this.#eats(cell, near.thing);
    }
  }

  #eats(cell: Body, thing: Thing): boolean {
    if (isCell(thing)) {
      if (thing.owner === cell.owner ? !thing.ripe || !cell.ripe : cell.mass < 1.25 * thing.mass)
        return false;
      cell.mass += thing.mass;
      thing.owner.cells = thing.owner.cells.filter((each) => each !== thing);
    } else if (thing.kind === "food") {
      cell.mass += 1;
      this.food.delete(thing);
      this.#sow("food");
    } else {
      if (cell.mass < VIRUS_MASS) return false;
      this.#split(cell, MAX_CELLS);
      this.viruses.delete(thing);
      this.#sow("virus");
    }
    return true;
  }
}

const isCell = (thing: Thing): thing is Body => thing.kind === "cell";
const distance = ({ position: one }: Thing, { position: other }: Thing): number =>
  Math.hypot(one.x - other.x, one.y - other.y);
const somewhere = (): Point => ({ x: Math.random() * SIZE_M, y: Math.random() * SIZE_M });
const inside = (value: number): number => Math.min(SIZE_M, Math.max(0, value));
