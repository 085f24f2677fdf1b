import type { Entity } from "@paceline/client";
import { interestPlan } from "@paceline/netcode/interest";
import type { RandomWaypoints } from "../interest/random-waypoints.js";
import { PRECISION_M, WorldWalker } from "./world-room.js";
import { geometryOf, walkOf, type WorldShape } from "./world-shape.js";

/** Faults in what the whole clients of a process have seen. */
export interface SightFigures {
  readonly states: number;
  /** Places that differ from the walk's. */
  readonly wrong: number;
  /** Walkers that were farther away than a client may see. */
  readonly far: number;
  /** Walkers that were near for a second and not there. */
  readonly missing: number;
  readonly example: string | undefined;
}

/** A room as its client has it. */
export interface SeenRoom {
  entities(
    definition: typeof WorldWalker,
  ): Iterable<Pick<Entity<typeof WorldWalker>, "index" | "lastTick"> & { readonly position: Place }>;
}

interface Place {
  readonly x: number;
  readonly y: number;
}

/** Walkers within this share of the radius must be in view: cells enter it at 0.9, less their border. */
const SURE_SHARE = 0.8;
const SURE_SECONDS = 1;
/** Distance that two walkers may change until both sides know that one has left the view, m. */
const LATE_M = 10;
const KEPT_SECONDS = 8;

/** Compares what whole clients see with the walk, which it walks itself. */
export class SightCheck {
  readonly #shape: WorldShape;
  readonly #radiusM: number;
  readonly #farM: number;
  readonly #walk: RandomWaypoints;
  /** Places at the newest ticks. */
  readonly #places = new Map<number, Float64Array>();
  #tick = 0;
  #isOn = false;
  #figures = { states: 0, wrong: 0, far: 0, missing: 0, example: undefined as string | undefined };

  constructor(shape: WorldShape) {
    this.#shape = shape;
    const { radiusM, edgeM } = geometryOf(shape);
    const { marginM } = interestPlan({ radiusM }, { minX: 0, minY: 0, maxX: edgeM, maxY: edgeM });
    this.#radiusM = radiusM;
    this.#farM = radiusM + marginM + LATE_M;
    this.#walk = walkOf(shape);
  }

  begin(): void {
    this.#isOn = true;
  }

  end(): SightFigures {
    this.#isOn = false;
    return this.#figures;
  }

  /** Checks what a client sees at a tick. `viewer`: the number of its own walker. */
  take(room: SeenRoom, viewer: number, tick: number): void {
    this.#walkTo(tick);
    const now = this.#places.get(tick);
    const before = this.#places.get(tick - SURE_SECONDS * this.#shape.tickHz);
    if (!this.#isOn || !now || !before) return;
    this.#figures.states += 1;
    const seen = new Set<number>();
    for (const { index, position, lastTick } of room.entities(WorldWalker)) {
      seen.add(index);
      const then = this.#places.get(lastTick);
      if (then && Math.hypot(position.x - then[2 * index]!, position.y - then[2 * index + 1]!) > PRECISION_M)
        this.#count("wrong", `walker ${index} at ${position.x}, ${position.y} in tick ${lastTick}`);
      if (distance(now, viewer, index) > this.#farM) this.#count("far", `${viewer} sees ${index}`);
    }
    const sureM = SURE_SHARE * this.#radiusM;
    for (let id = 0; id < this.#shape.entities; id++)
      if (!seen.has(id) && distance(now, viewer, id) < sureM && distance(before, viewer, id) < sureM)
        this.#count("missing", `${viewer} does not see ${id} in tick ${tick}`);
  }

  #count(fault: "wrong" | "far" | "missing", example: string): void {
    this.#figures[fault] += 1;
    this.#figures.example ??= `${fault}: ${example}`;
  }

  #walkTo(tick: number): void {
    for (; this.#tick < tick; this.#tick++) {
      this.#walk.walk();
      this.#places.set(this.#tick + 1, this.#walk.places.slice());
      this.#places.delete(this.#tick + 1 - KEPT_SECONDS * this.#shape.tickHz);
    }
  }
}

function distance(places: Float64Array, one: number, other: number): number {
  return Math.hypot(places[2 * one]! - places[2 * other]!, places[2 * one + 1]! - places[2 * other + 1]!);
}
