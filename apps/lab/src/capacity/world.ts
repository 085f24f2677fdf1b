import { TICK_HZ, type Car } from "../room/world.js";

/** A walker's pose, without its player's input. */
export type Pose = Omit<Car, "index" | "lastInput">;

/** Ticks from one waypoint to the next. */
const LEG_TICKS = 5 * TICK_HZ;
const LEG_SECONDS = LEG_TICKS / TICK_HZ;
/** Waypoints lie in a square of twice this side, m. */
const HALF_SIDE_M = 50;
/** Waypoints are at least this far from the middle line, m. */
const MIN_OFFSET_M = 10;
const TURN = 2 * Math.PI;

/**
 * Returns a walker's pose at a tick. It walks from one random waypoint straight to the next. A receiver can
 * check a whole state from its tick alone.
 */
export function poseOf(index: number, tick: number): Pose {
  // Walkers turn at different ticks.
  const time = tick + index * 37;
  const leg = Math.floor(time / LEG_TICKS);
  const share = (time % LEG_TICKS) / LEG_TICKS;
  const from = waypoint(index, leg);
  const to = waypoint(index, leg + 1);
  const [dx, dy] = [to.x - from.x, to.y - from.y];
  const yaw = Math.atan2(dy, dx);
  return {
    x: from.x + share * dx,
    y: from.y + share * dy,
    yaw: yaw < 0 ? yaw + TURN : yaw,
    vx: dx / LEG_SECONDS,
    vy: dy / LEG_SECONDS,
  };
}

/**
 * Returns a random waypoint. Waypoints of a walker alternate between the two sides of the square, so that it
 * never walks so slowly that its position stays the same for a tick.
 */
function waypoint(index: number, leg: number): { readonly x: number; readonly y: number } {
  const random = scrambled(index * 0x10001 + leg);
  const [first, second] = [(random & 0xffff) / 0xffff, (random >>> 16) / 0xffff];
  const side = (leg & 1) === 0 ? 1 : -1;
  return {
    x: side * (MIN_OFFSET_M + (HALF_SIDE_M - MIN_OFFSET_M) * first),
    y: HALF_SIDE_M * (2 * second - 1),
  };
}

/** Returns 32 bits in which each bit depends on all of the number's (the finaliser of MurmurHash3). */
function scrambled(number: number): number {
  let bits = number;
  bits = Math.imul(bits ^ (bits >>> 16), 0x85ebca6b);
  bits = Math.imul(bits ^ (bits >>> 13), 0xc2b2ae35);
  return (bits ^ (bits >>> 16)) >>> 0;
}

/** The game of one room, the same for all systems: every walker moves at every tick, inputs are echoed. */
export class WalkerWorld {
  readonly walkers: readonly Car[];
  tick = 0;
  readonly #worlds: Worlds;
  readonly #first: number;

  constructor(worlds: Worlds, first: number, players: number) {
    this.#worlds = worlds;
    this.#first = first;
    this.walkers = Array.from({ length: players }, (_, seat) => {
      return { index: first + seat, ...poseOf(first + seat, 0), lastInput: 0 };
    });
  }

  /** Moves all walkers by a tick. Returns false if the game has not begun. */
  step(): boolean {
    if (!this.#worlds.isMoving) return false;
    this.tick += 1;
    for (const walker of this.walkers) {
      const { x, y, yaw, vx, vy } = poseOf(walker.index, this.tick);
      walker.x = x;
      walker.y = y;
      walker.yaw = yaw;
      walker.vx = vx;
      walker.vy = vy;
    }
    return true;
  }

  /** Records a player's input, which the next states echo. */
  input(index: number, number: number): void {
    const walker = this.walkers[index - this.#first];
    if (!walker || number === 0) return;
    if (walker.lastInput !== number) this.#worlds.inputs += 1;
    walker.lastInput = number;
  }
}

/** The games of all rooms of a server. They stand still until all players have joined. */
export class Worlds {
  isMoving = false;
  /** Number of inputs that changed a walker. */
  inputs = 0;
  readonly #players: number;
  readonly #rooms = new Map<number, WalkerWorld>();

  /** @param players of one room */
  constructor(players: number) {
    this.#players = players;
  }

  of(room: number): WalkerWorld {
    const known = this.#rooms.get(room);
    if (known) return known;
    const world = new WalkerWorld(this, room * this.#players, this.#players);
    this.#rooms.set(room, world);
    return world;
  }

  /** Ticks of all rooms together. */
  get ticks(): number {
    return [...this.#rooms.values()].reduce((sum, { tick }) => sum + tick, 0);
  }
}
