import { carParameters } from "../car/car-parameters.js";
import type { Circuit } from "../track/circuit.js";
import { circuitAt } from "../track/circuits.js";
import { buildScenery, type Scenery } from "../track/scenery.js";
import { racingLineSteps } from "../track/racing-line.js";
import { surfaceAt } from "../track/surface.js";
import { applyCamera, toScreen, viewCircle, type Camera, type ViewCircle } from "./camera.js";
import { tracesOf } from "./car-traces.js";
import { CarPainter, drawNameTag, type DrawnCar } from "./draw-car.js";
import {
  buildSceneryPicture,
  drawGroundScenery,
  drawHighScenery,
  type SceneryPicture,
} from "./draw-scenery.js";
import { drawLawn, drawStart, drawTrack } from "./draw-track.js";
import { Sharpness } from "./sharpness.js";
import { SkidMarks } from "./skid-marks.js";
import { Smoke } from "./smoke.js";
import { Sparks } from "./sparks.js";
import { buildTrackChunks, type TrackChunk } from "./track-picture.js";

/** Distance from the middle of the car to a rear wheel. */
const REAR_WHEEL_M = 0.82;

/** The pictures of a circuit. */
interface World {
  readonly chunks: readonly TrackChunk[];
  readonly plan: Scenery;
  readonly picture: SceneryPicture;
}

/** Draws the world into one canvas, in 2D only: not every browser has WebGL. */
export class Scene {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  /** The value is undefined while the pictures of the circuit are being made. */
  readonly #worlds = new Map<Circuit, World | undefined>();
  readonly #painter = new CarPainter();
  readonly #marks = new SkidMarks();
  readonly #smoke = new Smoke();
  readonly #sparks = new Sparks();
  readonly #sharpness = new Sharpness();
  width = 0;
  height = 0;

  constructor(canvas: HTMLCanvasElement) {
    const context = canvas.getContext("2d", { alpha: false });
    if (context === null) throw new Error("this browser has no Canvas 2D");
    this.#canvas = canvas;
    this.#context = context;
  }

  /**
   * Makes the pictures of a circuit, once; yields every few milliseconds. Until then the scene is a lawn with
   * cars.
   */
  *prepare(circuit: Circuit): Generator<void> {
    if (this.#worlds.has(circuit)) return;
    this.#worlds.set(circuit, undefined);
    yield* racingLineSteps(circuit.track);
    yield;
    const chunks = buildTrackChunks(circuit);
    yield;
    const plan = yield* buildScenery(circuit);
    yield;
    this.#worlds.set(circuit, { chunks, plan, picture: buildSceneryPicture(plan) });
  }

  /** Fits the canvas to the page. Call it before the camera is updated. */
  resize(): void {
    this.width = this.#canvas.clientWidth;
    this.height = this.#canvas.clientHeight;
    const ratio = this.#sharpness.pixelRatio(window.devicePixelRatio || 1);
    const [pixelWidth, pixelHeight] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (this.#canvas.width !== pixelWidth) this.#canvas.width = pixelWidth;
    if (this.#canvas.height !== pixelHeight) this.#canvas.height = pixelHeight;
  }

  /** Throws sparks for a hit at that speed. */
  hit(car: Pick<DrawnCar, "x" | "y" | "velocityX" | "velocityY">, impactMps: number): void {
    this.#sparks.burst(car, impactMps);
  }

  draw(camera: Camera, cars: readonly DrawnCar[], seconds: number): void {
    const context = this.#context;
    this.#sharpness.frameTook(seconds);
    const view = viewCircle(camera, this.width, this.height);
    const ratio = this.width === 0 ? 1 : this.#canvas.width / this.width;
    for (const car of cars) this.#leaveTraces(car);
    this.#smoke.update(seconds);
    this.#sparks.update(seconds);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.save();
    applyCamera(context, camera, this.width, this.height);
    this.#drawWorld(view, cars);
    context.restore();
    for (const car of cars) {
      if (car.isMine || !isNear(car, view)) continue;
      const at = toScreen(camera, this, car.x, car.y);
      drawNameTag(context, at.x, at.y - 2.2 * camera.pixelsPerM - 14, car);
    }
  }

  #drawWorld(view: ViewCircle, cars: readonly DrawnCar[]): void {
    const context = this.#context;
    const circuit = circuitAt(view);
    const world = this.#worlds.get(circuit);
    drawLawn(context, circuit.look, view);
    if (world) {
      drawGroundScenery(context, world.plan, world.picture, view);
      drawTrack(context, world.chunks, view);
    }
    drawStart(context, circuit);
    this.#marks.draw(context, view);
    const near = cars.filter((car) => !car.isMine && isNear(car, view));
    for (const car of near) this.#painter.ring(context, car);
    for (const car of near) this.#painter.draw(context, car);
    for (const car of cars) {
      if (!car.isMine) continue;
      this.#painter.ring(context, car);
      this.#painter.draw(context, car);
    }
    this.#sparks.draw(context);
    this.#smoke.draw(context);
    for (const car of cars) if (car.received && isNear(car, view)) this.#painter.outline(context, car);
    if (world) drawHighScenery(context, world.plan, world.picture, view);
  }

  #leaveTraces(car: DrawnCar): void {
    const { track, roadside } = circuitAt(car);
    const traces = tracesOf(car, surfaceAt(track, roadside, car.x, car.y));
    const [cos, sin] = [Math.cos(car.headingRad), Math.sin(car.headingRad)];
    for (const side of [-1, 1]) {
      const x = car.x - carParameters.rearAxleM * cos - side * REAR_WHEEL_M * sin;
      const y = car.y - carParameters.rearAxleM * sin + side * REAR_WHEEL_M * cos;
      this.#marks.mark(`${car.key}/${side}`, x, y, traces.mark);
      if (traces.cloud !== undefined) this.#smoke.emit(x, y, traces.cloud);
    }
  }
}

function isNear(car: DrawnCar, view: ViewCircle): boolean {
  return Math.hypot(car.x - view.x, car.y - view.y) < view.radiusM + 8;
}
