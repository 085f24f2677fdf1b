import { speedOf } from "../car/car-state.js";
import { ComputerDriver } from "../drivers/computer-driver.js";
import { skillOf } from "../drivers/racecraft.js";
import { Racer } from "../race/racer.js";
import type { Circuit } from "../track/circuit.js";

/** Where a car is, and how fast it goes: m, m/s, rad. */
export interface Pose {
  x: number;
  y: number;
  velocityX: number;
  velocityY: number;
  headingRad: number;
}

/** Steps until the car is at racing speed. */
const WARM_UP_STEPS = 400;
/** The driver swerves as in traffic: a plain racing line would be easy for every lane. */
const SWERVE_STEER = 0.35;
const SWERVE_PERIOD_STEPS = 150;
const SWERVE_FOR_STEPS = 24;

/** The true motion of the rival, by the physics of the game. */
export class Truth {
  readonly #racer: Racer;
  readonly #driver: ComputerDriver;
  #steps = 0;

  constructor(circuit: Circuit) {
    this.#racer = new Racer(circuit, 0);
    this.#driver = new ComputerDriver(skillOf(1));
    for (let step = 0; step < WARM_UP_STEPS; step++) this.step();
  }

  get pose(): Pose {
    const { x, y, velocityX, velocityY, headingRad } = this.#racer.car;
    return { x, y, velocityX, velocityY, headingRad };
  }

  get car() {
    return this.#racer.car;
  }

  step(): void {
    const decision = this.#driver.decide(this.#racer.car, []);
    this.#steps += 1;
    const phase = this.#steps % SWERVE_PERIOD_STEPS;
    const isSwerving = phase < 2 * SWERVE_FOR_STEPS && speedOf(this.#racer.car) > 15;
    const swerve = isSwerving ? SWERVE_STEER * (phase < SWERVE_FOR_STEPS ? 1 : -1) : 0;
    const steer = Math.max(-1, Math.min(1, decision.steer + swerve));
    if (decision.reset) this.#racer.resetToTrack();
    else this.#racer.step({ ...decision, steer }, []);
  }
}
