import { STEP_MS, STEP_S } from "../car/step-car.js";
import { ComputerDriver } from "../drivers/computer-driver.js";
import { skillOf } from "../drivers/racecraft.js";
import { Racer } from "../race/racer.js";
import { CameraRig } from "../render/camera.js";
import type { DrawnCar } from "../render/draw-car.js";
import type { Scene } from "../render/scene.js";
import type { Minimap } from "../render/minimap.js";
import { pacelineRing } from "../track/paceline-ring.js";
import { drawnFromRacer } from "./drawn-cars.js";
import { COLORS } from "./settings.js";

const CARS = 4;
const WARM_UP_STEPS = 360;

/** The race behind the start screen: computer drivers, without a network. */
export class Attract {
  readonly #scene: Scene;
  readonly #minimap: Minimap;
  readonly #rig = new CameraRig();
  readonly #racers: readonly Racer[];
  readonly #drivers: readonly ComputerDriver[];
  #frame = 0;
  #lastMs = 0;
  #accumulatedMs = 0;

  constructor(scene: Scene, minimap: Minimap) {
    this.#scene = scene;
    this.#minimap = minimap;
    this.#rig.mode = "north-up";
    this.#racers = Array.from({ length: CARS }, (_, index) => new Racer(pacelineRing, index));
    this.#drivers = this.#racers.map((_, index) => new ComputerDriver(skillOf(index)));
  }

  /** Drives the cars until they are spread over the road. Yields after some milliseconds of work. */
  *warmUp(): Generator<void> {
    for (let step = 0; step < WARM_UP_STEPS; step++) {
      this.#step();
      if (step % 10 === 0) yield;
    }
  }

  start(): void {
    this.#lastMs = performance.now();
    this.#frame = requestAnimationFrame(this.#onFrame);
  }

  stop(): void {
    cancelAnimationFrame(this.#frame);
  }

  readonly #onFrame = (): void => {
    this.#frame = requestAnimationFrame(this.#onFrame);
    const nowMs = performance.now();
    const elapsedMs = Math.min(100, nowMs - this.#lastMs);
    this.#lastMs = nowMs;
    this.#accumulatedMs += elapsedMs;
    while (this.#accumulatedMs >= STEP_MS) {
      this.#accumulatedMs -= STEP_MS;
      this.#step();
    }
    this.#draw(elapsedMs / 1000);
  };

  #step(): void {
    this.#racers.forEach((racer, index) => {
      const others = this.#racers.filter((other) => other !== racer).map((other) => other.car);
      const decision = (this.#drivers[index] as ComputerDriver).decide(racer.car, others);
      if (decision.reset) racer.resetToTrack();
      else racer.step(decision, others);
    });
  }

  #draw(seconds: number): void {
    const alpha = (this.#accumulatedMs / 1000 / STEP_S) % 1;
    const cars: DrawnCar[] = this.#racers.map((racer, index) =>
      drawnFromRacer(racer, alpha, {
        key: `attract-${index}`,
        color: COLORS[index] as string,
        name: "",
        number: index + 1,
        isMine: true,
      }),
    );
    this.#scene.resize();
    this.#rig.update(cars[1] as DrawnCar, this.#scene.width, this.#scene.height, seconds);
    this.#scene.draw(this.#rig.camera, cars, seconds);
    this.#minimap.draw(cars);
  }
}
