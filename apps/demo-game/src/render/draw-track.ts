import { gridSlot, type Circuit, type Look } from "../track/circuit.js";
import { poseOnTrack } from "../track/track.js";
import { palette } from "./palette.js";
import type { TrackChunk } from "./track-picture.js";
import type { ViewCircle } from "./camera.js";

const STRIPE_M = 14;

/** Draws the lawn; its stripes show speed on grass. */
export function drawLawn(context: CanvasRenderingContext2D, look: Look, view: ViewCircle): void {
  context.fillStyle = look.lawn;
  context.fillRect(view.x - view.radiusM, view.y - view.radiusM, view.radiusM * 2, view.radiusM * 2);
  context.fillStyle = look.lawnStripe;
  const first = Math.floor((view.x - view.radiusM) / (2 * STRIPE_M)) * 2 * STRIPE_M;
  for (let x = first; x < view.x + view.radiusM; x += 2 * STRIPE_M) {
    context.fillRect(x, view.y - view.radiusM, STRIPE_M, view.radiusM * 2);
  }
}

export function drawTrack(
  context: CanvasRenderingContext2D,
  chunks: readonly TrackChunk[],
  view: ViewCircle,
): void {
  const visible = chunks.filter(
    (chunk) => Math.hypot(chunk.x - view.x, chunk.y - view.y) < view.radiusM + chunk.radiusM,
  );
  const fillAll = (style: string, path: (chunk: TrackChunk) => Path2D): void => {
    context.fillStyle = style;
    for (const chunk of visible) context.fill(path(chunk));
  };
  fillAll(palette.gravel, (chunk) => chunk.gravel);
  fillAll(palette.gravelDot, (chunk) => chunk.gravelDots);
  fillAll(palette.asphaltEdge, (chunk) => chunk.verge);
  fillAll(palette.kerbRed, (chunk) => chunk.kerbRed);
  fillAll(palette.kerbWhite, (chunk) => chunk.kerbWhite);
  fillAll(palette.asphalt, (chunk) => chunk.road);
  context.lineJoin = "round";
  context.lineCap = "butt";
  const strokeAll = (style: string, widthM: number, path: (chunk: TrackChunk) => Path2D): void => {
    context.strokeStyle = style;
    context.lineWidth = widthM;
    for (const chunk of visible) context.stroke(path(chunk));
  };
  strokeAll(palette.rubber[0], 4.6, (chunk) => chunk.rubber);
  strokeAll(palette.rubber[1], 2.8, (chunk) => chunk.rubber);
  strokeAll(palette.line, 0.3, (chunk) => chunk.edges);
}

const GRID_SLOTS = 10;

/** Draws the chequered line and the grid boxes. */
export function drawStart(context: CanvasRenderingContext2D, circuit: Circuit): void {
  const { track } = circuit;
  context.save();
  const pose = poseOnTrack(track, 0);
  context.translate(pose.x, pose.y);
  context.rotate(pose.headingRad);
  const half = track.halfWidthM[0] as number;
  const squareM = 0.9;
  context.fillStyle = palette.line;
  context.fillRect(-1.5 * squareM, -half, 3 * squareM, 2 * half);
  context.fillStyle = "#15171c";
  for (let row = 0; row < 3; row++) {
    for (let at = -half, column = 0; at < half; at += squareM, column++) {
      if ((row + column) % 2 === 0) continue;
      context.fillRect((row - 1.5) * squareM, at, squareM, Math.min(squareM, half - at));
    }
  }
  context.restore();
  context.strokeStyle = palette.line;
  context.lineWidth = 0.22;
  for (let slot = 0; slot < GRID_SLOTS; slot++) drawSlot(context, gridSlot(track, slot));
}

function drawSlot(
  context: CanvasRenderingContext2D,
  pose: { x: number; y: number; headingRad: number },
): void {
  context.save();
  context.translate(pose.x, pose.y);
  context.rotate(pose.headingRad);
  context.beginPath();
  context.moveTo(0.6, -1.4);
  context.lineTo(2.9, -1.4);
  context.lineTo(2.9, 1.4);
  context.lineTo(0.6, 1.4);
  context.stroke();
  context.restore();
}
