export interface Point {
  x: number;
  y: number;
}

interface Wanderer extends Point {
  goal: Readonly<Point>;
  speedMps: number;
  /** It sways from here, rad. */
  readonly phaseRad: number;
  /** It stands until then, ms. */
  restsUntilMs: number;
}

const MIN_SPEED_MPS = 3;
const MAX_SPEED_MPS = 8;
const MAX_REST_MS = 6000;
/** Walkers sway around their direction, as people among others do. */
const SWAY_RAD = 0.8;
const SWAY_RAD_PER_S = 2.2;
/** They sway less near their goal, m. */
const STRAIGHT_M = 15;
/** A longer time between two calls is not walked: nobody was there. */
const MAX_ADVANCE_MS = 500;

/** Walkers that go to random places, rest and go on (random waypoint). All rooms of a server show the same ones. */
export class Crowd {
  readonly walkers: readonly Readonly<Point>[];
  readonly #wanderers: Wanderer[];
  readonly #edgeM: number;
  readonly #random: () => number;
  #nowMs = 0;

  constructor(count: number, edgeM: number, random: () => number = Math.random) {
    this.#edgeM = edgeM;
    this.#random = random;
    this.#wanderers = Array.from({ length: count }, () => {
      const goal = this.#somewhere();
      return {
        ...this.#somewhere(),
        goal,
        speedMps: this.#speed(),
        phaseRad: this.#random() * 7,
        restsUntilMs: 0,
      };
    });
    this.walkers = this.#wanderers;
  }

  /** Walks to a moment, ms. Does nothing at one that is over. */
  advanceTo(nowMs: number): void {
    const seconds = Math.min(nowMs - this.#nowMs, MAX_ADVANCE_MS) / 1000;
    if (seconds <= 0) return;
    this.#nowMs = nowMs;
    for (const wanderer of this.#wanderers) if (wanderer.restsUntilMs <= nowMs) this.#walk(wanderer, seconds);
  }

  #walk(wanderer: Wanderer, seconds: number): void {
    if (!this.#step(wanderer, wanderer.speedMps * seconds)) return;
    wanderer.goal = this.#somewhere();
    wanderer.speedMps = this.#speed();
    wanderer.restsUntilMs = this.#nowMs + this.#random() * MAX_REST_MS;
  }

  /** Returns true if it has come to its goal. */
  #step(wanderer: Wanderer, stepM: number): boolean {
    const { goal, phaseRad, x, y } = wanderer;
    const leftM = Math.hypot(goal.x - x, goal.y - y);
    if (leftM <= stepM) return stepTowards(wanderer, goal, stepM);
    const sway = SWAY_RAD * Math.sin((SWAY_RAD_PER_S * this.#nowMs) / 1000 + phaseRad);
    const angle = Math.atan2(goal.y - y, goal.x - x) + sway * Math.min(1, leftM / STRAIGHT_M);
    wanderer.x = this.#inside(x + stepM * Math.cos(angle));
    wanderer.y = this.#inside(y + stepM * Math.sin(angle));
    return false;
  }

  #inside(value: number): number {
    return Math.min(this.#edgeM, Math.max(0, value));
  }

  #somewhere(): Point {
    return { x: this.#random() * this.#edgeM, y: this.#random() * this.#edgeM };
  }

  #speed(): number {
    return MIN_SPEED_MPS + this.#random() * (MAX_SPEED_MPS - MIN_SPEED_MPS);
  }
}

/** Moves a point by a distance towards a goal. Returns true if it is there. */
export function stepTowards(point: Point, goal: Readonly<Point>, distanceM: number): boolean {
  const [dx, dy] = [goal.x - point.x, goal.y - point.y];
  const leftM = Math.hypot(dx, dy);
  const part = leftM <= distanceM ? 1 : distanceM / leftM;
  point.x += dx * part;
  point.y += dy * part;
  return part === 1;
}
