/** A car of the room: its pose at a tick, and its player's newest input. */
export interface Car {
  /** Number of its player, from 0. */
  readonly index: number;
  /** Position, m. */
  x: number;
  y: number;
  /** Heading, rad, from 0. */
  yaw: number;
  /** Velocity, m/s. */
  vx: number;
  vy: number;
  /** Number of the newest input, 16 bits. */
  lastInput: number;
}

/** States and inputs per second, for all systems. */
export const TICK_HZ = 20;
export const PERIOD_MS = 1000 / TICK_HZ;
const TURN = 6.28;

/** Returns a car's pose at a tick, by which a receiver can check a whole state from the tick alone. */
export function truthOf(index: number, tick: number): Omit<Car, "index" | "lastInput"> {
  const [a, b] = [tick * 0.013 + index, tick * 0.011 + index * 2];
  return {
    x: 100 * Math.sin(a),
    y: 100 * Math.cos(b),
    yaw: (tick * 0.02 + index) % TURN,
    vx: 1.3 * Math.cos(a) * TICK_HZ,
    vy: -1.1 * Math.sin(b) * TICK_HZ,
  };
}

/** The world of every system's server, in which all cars move at every tick. */
export class World {
  readonly cars: readonly Car[];
  tick = 0;
  inputs = 0;

  constructor(players: number) {
    this.cars = Array.from({ length: players }, (_, index) => ({
      index,
      ...truthOf(index, 0),
      lastInput: 0,
    }));
  }

  step(): void {
    this.tick += 1;
    for (const car of this.cars) Object.assign(car, truthOf(car.index, this.tick));
  }

  /** Records a player's input, which the next states echo. */
  input(index: number, number: number): void {
    const car = this.cars[index];
    if (!car) return;
    car.lastInput = number & 0xffff;
    this.inputs += 1;
  }
}

/** Returns the machine's monotonic clock, ms. All processes share it. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
