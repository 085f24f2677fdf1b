import { clamp } from "../car/angle.js";
import { palette } from "./palette.js";

/** A car as it is drawn in one frame, own or remote. */
export interface DrawnCar {
  readonly key: string;
  readonly x: number;
  readonly y: number;
  readonly headingRad: number;
  readonly velocityX: number;
  readonly velocityY: number;
  readonly steer: number;
  readonly throttle: number;
  readonly handbrake: boolean;
  readonly color: string;
  readonly name: string;
  /** Shown on the roof. */
  readonly number: number;
  readonly isMine: boolean;
  /** The path to its driver, drawn as a ring; `own`: the player's car; undefined: no ring. */
  readonly path?: "direct" | "turn" | "relay" | "own" | undefined;
  /** True while nobody can hit the car: it was just put on the track, or its newest state is old. */
  readonly isGhost: boolean;
  /** Position in the newest received state, drawn as an outline while the player inspects the cars. */
  readonly received?: { readonly x: number; readonly y: number; readonly headingRad: number } | undefined;
}

type Pose = Pick<DrawnCar, "x" | "y" | "headingRad">;

const WHEELS = [
  [1.32, -0.86, true],
  [1.32, 0.86, true],
  [-1.3, -0.88, false],
  [-1.3, 0.88, false],
] as const;

const RING_RADIUS_M = 3;

/** The body seen from above, nose at +x. */
function bodyPath(): Path2D {
  const path = new Path2D();
  path.moveTo(-2.05, -0.78);
  path.quadraticCurveTo(-2.15, 0, -2.05, 0.78);
  path.quadraticCurveTo(-1.1, 0.99, -0.6, 0.9);
  path.quadraticCurveTo(0.4, 0.8, 1.2, 0.88);
  path.quadraticCurveTo(2.02, 0.8, 2.18, 0.3);
  path.quadraticCurveTo(2.24, 0, 2.18, -0.3);
  path.quadraticCurveTo(2.02, -0.8, 1.2, -0.88);
  path.quadraticCurveTo(0.4, -0.8, -0.6, -0.9);
  path.quadraticCurveTo(-1.1, -0.99, -2.05, -0.78);
  path.closePath();
  return path;
}

function glassPath(): Path2D {
  const path = new Path2D();
  // Windscreen, rear window.
  path.moveTo(0.72, -0.58);
  path.quadraticCurveTo(0.95, 0, 0.72, 0.58);
  path.lineTo(0.2, 0.48);
  path.quadraticCurveTo(0.34, 0, 0.2, -0.48);
  path.closePath();
  path.moveTo(-1.3, -0.52);
  path.quadraticCurveTo(-1.42, 0, -1.3, 0.52);
  path.lineTo(-0.92, 0.46);
  path.quadraticCurveTo(-0.98, 0, -0.92, -0.46);
  path.closePath();
  return path;
}

/** Draws cars; the paths are made once. */
export class CarPainter {
  readonly #body = bodyPath();
  readonly #glass = glassPath();

  draw(context: CanvasRenderingContext2D, car: DrawnCar): void {
    context.save();
    context.globalAlpha = car.isGhost ? 0.55 : 1;
    context.translate(car.x + 0.35, car.y + 0.4);
    context.rotate(car.headingRad);
    context.fillStyle = palette.shadow;
    context.fill(this.#body);
    context.rotate(-car.headingRad);
    context.translate(-0.35, -0.4);
    context.rotate(car.headingRad);
    this.#wheels(context, car.steer);
    context.fillStyle = car.color;
    context.fill(this.#body);
    context.lineWidth = 0.09;
    context.strokeStyle = car.isMine ? "#ffffff" : "rgba(10, 12, 18, 0.55)";
    context.stroke(this.#body);
    this.#details(context, car);
    context.restore();
  }

  /** Green: direct path. Amber and dashed: a path through TURN or the relay. */
  ring(context: CanvasRenderingContext2D, { x, y, path, isGhost }: DrawnCar): void {
    if (!path) return;
    if (path === "own") return this.#halo(context, { x, y });
    context.save();
    context.globalAlpha = isGhost ? 0.4 : 0.85;
    context.lineWidth = 0.28;
    context.strokeStyle = path === "direct" ? palette.direct : palette.relayed;
    if (path !== "direct") context.setLineDash([1.1, 0.7]);
    context.beginPath();
    context.arc(x, y, RING_RADIUS_M, 0, Math.PI * 2);
    context.stroke();
    context.restore();
  }

  /** Dashed: the newest received state; solid: where the car is shown. */
  outline(context: CanvasRenderingContext2D, car: DrawnCar): void {
    if (!car.received) return;
    context.save();
    context.lineWidth = 0.12;
    context.setLineDash([0.35, 0.25]);
    this.#outlineAt(context, car.received, "#ffffff");
    context.setLineDash([]);
    this.#outlineAt(context, car, "#00e5ff");
    context.beginPath();
    context.moveTo(car.received.x, car.received.y);
    context.lineTo(car.x, car.y);
    context.stroke();
    context.restore();
  }

  #halo(context: CanvasRenderingContext2D, { x, y }: { readonly x: number; readonly y: number }): void {
    context.save();
    context.fillStyle = "rgba(255, 255, 255, 0.28)";
    context.strokeStyle = "rgba(255, 255, 255, 0.9)";
    context.lineWidth = 0.2;
    context.beginPath();
    context.arc(x, y, RING_RADIUS_M, 0, Math.PI * 2);
    context.fill();
    context.stroke();
    context.restore();
  }

  /** Dashed: where the car really is, with a line to where it is shown. */
  truth(context: CanvasRenderingContext2D, pose: Pose, shown: Pose | undefined): void {
    context.save();
    context.lineWidth = 0.14;
    context.setLineDash([0.4, 0.28]);
    this.#outlineAt(context, pose, "#ffffff");
    context.setLineDash([]);
    if (shown) {
      context.strokeStyle = "#ffe14d";
      context.beginPath();
      context.moveTo(pose.x, pose.y);
      context.lineTo(shown.x, shown.y);
      context.stroke();
    }
    context.restore();
  }

  #outlineAt(context: CanvasRenderingContext2D, pose: Pose, color: string): void {
    context.save();
    context.translate(pose.x, pose.y);
    context.rotate(pose.headingRad);
    context.strokeStyle = color;
    context.stroke(this.#body);
    context.restore();
    context.strokeStyle = color;
  }

  #wheels(context: CanvasRenderingContext2D, steer: number): void {
    context.fillStyle = "#17191e";
    for (const [x, y, isFront] of WHEELS) {
      context.save();
      context.translate(x, y);
      if (isFront) context.rotate(steer * 0.5);
      context.fillRect(-0.42, -0.2, 0.84, 0.4);
      context.restore();
    }
  }

  #details(context: CanvasRenderingContext2D, car: DrawnCar): void {
    // A pale stripe over nose and tail, the roof, the wing.
    context.fillStyle = "rgba(255, 255, 255, 0.82)";
    context.fillRect(0.95, -0.16, 1.2, 0.32);
    context.fillRect(-2.0, -0.16, 0.6, 0.32);
    context.fillStyle = "#1d2733";
    context.fill(this.#glass);
    context.fillStyle = "rgba(255, 255, 255, 0.14)";
    context.fillRect(-0.9, -0.5, 1.06, 1);
    context.fillStyle = "rgba(15, 17, 22, 0.85)";
    context.fillRect(-2.16, -0.86, 0.24, 1.72);
    context.fillStyle = "#fff6cf";
    context.fillRect(1.86, -0.66, 0.2, 0.26);
    context.fillRect(1.86, 0.4, 0.2, 0.26);
    drawRoofNumber(context, car.number);
    const isBraking = car.handbrake || car.throttle < -0.05;
    context.fillStyle = isBraking ? "#ff3b30" : "#8c1f1a";
    context.fillRect(-2.02, -0.74, 0.16, 0.34);
    context.fillRect(-2.02, 0.4, 0.16, 0.34);
    if (!isBraking) return;
    context.fillStyle = "rgba(255, 60, 48, 0.3)";
    context.beginPath();
    context.arc(-2.05, -0.57, 0.5, 0, Math.PI * 2);
    context.arc(-2.05, 0.57, 0.5, 0, Math.PI * 2);
    context.fill();
  }
}

/** Draws the number across the roof, to be read from behind: its last two digits. */
function drawRoofNumber(context: CanvasRenderingContext2D, number: number): void {
  context.save();
  context.translate(-0.38, 0);
  context.rotate(Math.PI / 2);
  // Browsers round fonts below a pixel, so the digits are drawn large and scaled down to metres.
  context.scale(0.05, 0.05);
  context.font = "800 17px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillStyle = "#ffffff";
  context.fillText(String(number % 100), 0, 1);
  context.restore();
}

/** The name above a car, upright whatever the camera does; (x, y) in screen pixels. */
export function drawNameTag(context: CanvasRenderingContext2D, x: number, y: number, car: DrawnCar): void {
  context.save();
  context.globalAlpha = car.isGhost ? 0.6 : 0.95;
  context.font = "600 12px system-ui, sans-serif";
  context.textBaseline = "middle";
  context.textAlign = "left";
  const width = context.measureText(car.name).width + 24;
  const left = x - width / 2;
  // No name where buttons, pads or the panel cover the canvas: neither could be read.
  const isCovered = [left, left + width].some(
    (edge) => document.elementFromPoint(clamp(edge, 0, innerWidth - 1), y) !== context.canvas,
  );
  if (isCovered) return context.restore();
  context.fillStyle = "rgba(14, 18, 28, 0.72)";
  context.beginPath();
  context.roundRect(left, y - 10, width, 20, 10);
  context.fill();
  context.fillStyle = car.color;
  context.beginPath();
  context.arc(left + 11, y, 4.5, 0, Math.PI * 2);
  context.fill();
  context.fillStyle = "#ffffff";
  context.fillText(car.name, left + 19, y + 0.5);
  context.restore();
}
