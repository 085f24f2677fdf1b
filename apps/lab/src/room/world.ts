/** One of the room's cars: where it is at a tick, and the newest input that its player has got through. */
export interface Car {
  /** Number of its player, from 0 on. */
  readonly index: number;
  /** Metres. */
  x: number;
  y: number;
  /** Radians from 0 on. */
  yaw: number;
  /** Metres per second. */
  vx: number;
  vy: number;
  /** Number of the newest input, 16 bits. */
  lastInput: number;
}

/** States and inputs per second, of all systems. */
export const TICK_HZ = 20;
export const PERIOD_MS = 1000 / TICK_HZ;
const TURN = 6.28;

/** A car's position at a tick: a receiver can check a whole state by the tick alone. */
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

/** Every system's server shows this: all cars move at every tick. */
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

  /** A player's input is in the states from now on. */
  input(index: number, number: number): void {
    const car = this.cars[index];
    if (!car) return;
    car.lastInput = number & 0xffff;
    this.inputs += 1;
  }
}

/** Milliseconds of a clock that all processes of the machine share. */
export function machineMs(): number {
  return Number(process.hrtime.bigint()) / 1e6;
}
