import { circuitAt } from "../track/circuits.js";
import { pacelineRing } from "../track/paceline-ring.js";
import type { DrawnCar } from "./draw-car.js";

const PADDING_PX = 16;

/** The whole track, small, north up, with a dot per car. */
export class Minimap {
  readonly #canvas: HTMLCanvasElement;
  #track = pacelineRing.track;
  #background: HTMLCanvasElement | undefined;
  #scale = 1;
  #offsetX = 0;
  #offsetY = 0;

  constructor(canvas: HTMLCanvasElement) {
    this.#canvas = canvas;
  }

  draw(cars: readonly DrawnCar[]): void {
    const context = this.#canvas.getContext("2d");
    const ratio = Math.min(2, window.devicePixelRatio || 1);
    const width = Math.round(this.#canvas.clientWidth * ratio);
    const height = Math.round(this.#canvas.clientHeight * ratio);
    if (context === null || width === 0 || height === 0) return;
    const mine = cars.find((car) => car.isMine);
    const { track } = mine ? circuitAt(mine) : pacelineRing;
    if (track !== this.#track) this.#background = undefined;
    this.#track = track;
    if (this.#canvas.width !== width || this.#canvas.height !== height || this.#background === undefined) {
      this.#canvas.width = width;
      this.#canvas.height = height;
      this.#background = this.#drawBackground(width, height, ratio);
    }
    context.clearRect(0, 0, width, height);
    context.drawImage(this.#background, 0, 0);
    for (const car of cars) if (!car.isMine) this.#dot(context, car, 3.4 * ratio);
    for (const car of cars) if (car.isMine) this.#dot(context, car, 4.8 * ratio);
  }

  #dot(context: CanvasRenderingContext2D, car: DrawnCar, radius: number): void {
    context.beginPath();
    context.arc(
      this.#offsetX + car.x * this.#scale,
      this.#offsetY + car.y * this.#scale,
      radius,
      0,
      Math.PI * 2,
    );
    context.fillStyle = car.color;
    context.fill();
    context.lineWidth = car.isMine ? radius * 0.45 : radius * 0.3;
    context.strokeStyle = car.isMine ? "#ffffff" : "rgba(10, 12, 18, 0.8)";
    context.stroke();
  }

  #drawBackground(width: number, height: number, ratio: number): HTMLCanvasElement {
    const { x, y } = this.#track;
    const [left, right, top, bottom] = [Math.min(...x), Math.max(...x), Math.min(...y), Math.max(...y)];
    const padding = PADDING_PX * ratio;
    this.#scale = Math.min((width - 2 * padding) / (right - left), (height - 2 * padding) / (bottom - top));
    this.#offsetX = width / 2 - ((left + right) / 2) * this.#scale;
    this.#offsetY = height / 2 - ((top + bottom) / 2) * this.#scale;
    const canvas = document.createElement("canvas");
    canvas.width = width;
    canvas.height = height;
    const context = canvas.getContext("2d");
    if (context === null) return canvas;
    context.lineJoin = "round";
    const outline = new Path2D();
    for (let i = 0; i < this.#track.count; i++) {
      outline.lineTo(
        this.#offsetX + (x[i] as number) * this.#scale,
        this.#offsetY + (y[i] as number) * this.#scale,
      );
    }
    outline.closePath();
    for (const [style, lineWidth] of [
      ["rgba(10, 12, 18, 0.55)", 9],
      ["rgba(255, 255, 255, 0.9)", 5],
    ] as const) {
      context.strokeStyle = style;
      context.lineWidth = lineWidth * ratio;
      context.stroke(outline);
    }
    this.#startMark(context, ratio);
    return canvas;
  }

  #startMark(context: CanvasRenderingContext2D, ratio: number): void {
    const [x, y] = [this.#track.x[0] as number, this.#track.y[0] as number];
    context.strokeStyle = "#e5484d";
    context.lineWidth = 2.5 * ratio;
    context.beginPath();
    context.moveTo(this.#offsetX + x * this.#scale, this.#offsetY + y * this.#scale - 6 * ratio);
    context.lineTo(this.#offsetX + x * this.#scale, this.#offsetY + y * this.#scale + 6 * ratio);
    context.stroke();
  }
}
