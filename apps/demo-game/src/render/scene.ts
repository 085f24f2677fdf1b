import { wrapAngle } from "../car/angle.js";
import { carParameters } from "../car/car-parameters.js";
import type { Circuit } from "../track/circuit.js";
import { buildScenery, type Scenery } from "../track/scenery.js";
import { surfaceAt } from "../track/surface.js";
import { applyCamera, toScreen, viewCircle, type Camera, type ViewCircle } from "./camera.js";
import { CarPainter, drawNameTag, type DrawnCar } from "./draw-car.js";
import { buildScenerySprites, drawGroundScenery, drawHighScenery, type ScenerySprites } from "./draw-scenery.js";
import { drawLawn, drawStart, drawTrack } from "./draw-track.js";
import { SkidMarks } from "./skid-marks.js";
import { Smoke } from "./smoke.js";
import { buildTrackChunks, buildTrackLines, type TrackChunk, type TrackLines } from "./track-picture.js";

/** Twice is sharp enough, and a phone's three or four times costs more than it shows. */
const MAX_PIXEL_RATIO = 2;

/** Draws the world into one canvas. Canvas 2D only: not every browser has WebGL. */
export class Scene {
  readonly #canvas: HTMLCanvasElement;
  readonly #context: CanvasRenderingContext2D;
  readonly #circuit: Circuit;
  readonly #chunks: readonly TrackChunk[];
  readonly #lines: TrackLines;
  readonly #scenery: Scenery;
  readonly #sprites: ScenerySprites;
  readonly #painter = new CarPainter();
  readonly #marks = new SkidMarks();
  readonly #smoke = new Smoke();
  width = 0;
  height = 0;

  constructor(canvas: HTMLCanvasElement, circuit: Circuit) {
    const context = canvas.getContext("2d", { alpha: false });
    if (context === null) throw new Error("this browser has no Canvas 2D");
    this.#canvas = canvas;
    this.#context = context;
    this.#circuit = circuit;
    this.#chunks = buildTrackChunks(circuit);
    this.#lines = buildTrackLines(circuit);
    this.#scenery = buildScenery(circuit);
    this.#sprites = buildScenerySprites(this.#scenery);
  }

  /** Fits the canvas to the page; before the camera is updated. */
  resize(): void {
    this.width = this.#canvas.clientWidth;
    this.height = this.#canvas.clientHeight;
    const ratio = Math.min(MAX_PIXEL_RATIO, window.devicePixelRatio || 1);
    const [pixelWidth, pixelHeight] = [Math.round(this.width * ratio), Math.round(this.height * ratio)];
    if (this.#canvas.width !== pixelWidth) this.#canvas.width = pixelWidth;
    if (this.#canvas.height !== pixelHeight) this.#canvas.height = pixelHeight;
  }

  draw(camera: Camera, cars: readonly DrawnCar[], seconds: number): void {
    const context = this.#context;
    const view = viewCircle(camera, this.width, this.height);
    const ratio = this.width === 0 ? 1 : this.#canvas.width / this.width;
    for (const car of cars) this.#leaveTraces(car);
    this.#smoke.update(seconds);
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
    drawLawn(context, view);
    drawGroundScenery(context, this.#scenery, this.#sprites, view);
    drawTrack(context, this.#chunks, this.#lines, view);
    drawStart(context, this.#circuit);
    this.#marks.draw(context, view);
    for (const car of cars) if (!car.isMine && isNear(car, view)) this.#painter.draw(context, car);
    for (const car of cars) if (car.isMine) this.#painter.draw(context, car);
    this.#smoke.draw(context);
    drawHighScenery(context, this.#scenery, this.#sprites, view);
  }

  /** Marks and smoke follow from how a car moves, so that remote cars leave them too. */
  #leaveTraces(car: DrawnCar): void {
    const speed = Math.hypot(car.velocityX, car.velocityY);
    const driftRad =
      speed > 5 ? Math.abs(wrapAngle(Math.atan2(car.velocityY, car.velocityX) - car.headingRad)) : 0;
    const sliding = Math.min(1, Math.max(0, (Math.min(driftRad, Math.PI - driftRad) - 0.13) / 0.3));
    const spinning = car.throttle > 0.7 && speed > 0.5 && speed < 7 ? 0.5 : 0;
    const locked = car.handbrake && speed > 5 ? 0.8 : car.throttle < -0.9 && speed > 18 ? 0.3 : 0;
    const strength = car.isGhost && !car.isMine ? 0 : Math.max(sliding, spinning, locked);
    const [cos, sin] = [Math.cos(car.headingRad), Math.sin(car.headingRad)];
    const surface = speed > 2 ? surfaceAt(this.#circuit.track, this.#circuit.roadside, car.x, car.y) : "road";
    const isOff = surface === "grass" || surface === "gravel";
    for (const side of [-1, 1]) {
      const x = car.x - carParameters.rearAxleM * cos - side * 0.82 * sin;
      const y = car.y - carParameters.rearAxleM * sin + side * 0.82 * cos;
      this.#marks.mark(`${car.key}/${side}`, x, y, isOff && speed > 4 ? 0.3 : strength);
      if (isOff && speed > 6) this.#smoke.emit(x, y, "dust");
      else if (strength > 0.35) this.#smoke.emit(x, y, "smoke");
    }
  }
}

function isNear(car: DrawnCar, view: ViewCircle): boolean {
  return Math.hypot(car.x - view.x, car.y - view.y) < view.radiusM + 8;
}
