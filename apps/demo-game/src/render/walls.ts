import type { ViewCircle } from "./camera.js";
import { palette } from "./palette.js";

interface Point {
  readonly x: number;
  readonly y: number;
}

/** A piece of tyre wall: its whole length, and every other block of it. */
export interface WallPiece {
  readonly x: number;
  readonly y: number;
  readonly whole: Path2D;
  readonly blocks: Path2D;
}

const BLOCK_M = 3;
const BLOCKS_PER_PIECE = 14;
const PIECE_REACH_M = (BLOCK_M * BLOCKS_PER_PIECE) / 2 + 3;

/**
 * Cuts the walls into pieces, so that the scene draws only near ones. The blocks are a path of their own,
 * because dashed lines are slow to draw.
 */
export function buildWallPieces(walls: readonly (readonly Point[])[]): WallPiece[] {
  return walls.flatMap((wall) => {
    const points = evenly(wall);
    const pieces: WallPiece[] = [];
    for (let from = 0; from < points.length - 1; from += BLOCKS_PER_PIECE) {
      pieces.push(piece(points.slice(from, from + BLOCKS_PER_PIECE + 1)));
    }
    return pieces;
  });
}

/** Points along the same line, one block apart. */
function evenly(wall: readonly Point[]): Point[] {
  const result: Point[] = [];
  let untilNextM = 0;
  for (let i = 0; i < wall.length - 1; i++) {
    const [from, to] = [wall[i] as Point, wall[i + 1] as Point];
    const lengthM = Math.hypot(to.x - from.x, to.y - from.y);
    while (untilNextM <= lengthM) {
      const t = lengthM === 0 ? 0 : untilNextM / lengthM;
      result.push({ x: from.x + (to.x - from.x) * t, y: from.y + (to.y - from.y) * t });
      untilNextM += BLOCK_M;
    }
    untilNextM -= lengthM;
  }
  const end = wall.at(-1);
  if (end !== undefined) result.push({ x: end.x, y: end.y });
  return result;
}

function piece(points: readonly Point[]): WallPiece {
  const middle = points[Math.floor(points.length / 2)] as Point;
  const whole = new Path2D();
  const blocks = new Path2D();
  points.forEach((point, index) => {
    if (index === 0) whole.moveTo(point.x, point.y);
    else whole.lineTo(point.x, point.y);
    const next = points[index + 1];
    if (index % 2 === 1 || next === undefined) return;
    blocks.moveTo(point.x, point.y);
    blocks.lineTo(next.x, next.y);
  });
  return { x: middle.x, y: middle.y, whole, blocks };
}

export function drawWalls(
  context: CanvasRenderingContext2D,
  pieces: readonly WallPiece[],
  shadow: string,
  view: ViewCircle,
): void {
  const reach = view.radiusM + PIECE_REACH_M;
  const visible = pieces.filter((one) => Math.hypot(one.x - view.x, one.y - view.y) < reach);
  context.lineJoin = "round";
  context.lineCap = "butt";
  const strokeAll = (style: string, widthM: number, path: (one: WallPiece) => Path2D): void => {
    context.strokeStyle = style;
    context.lineWidth = widthM;
    for (const one of visible) context.stroke(path(one));
  };
  strokeAll(shadow, 1.9, (one) => one.whole);
  strokeAll(palette.wall, 1.1, (one) => one.whole);
  strokeAll(palette.wallStripe, 1.1, (one) => one.blocks);
}
