import type { Look } from "../track/circuit.js";
import type { Tree } from "../track/scenery.js";
import type { ViewCircle } from "./camera.js";

/**
 * The dark ground under neighbouring trees, as two paths: plain fills cost far less than pictures with soft
 * edges.
 */
export interface FloorCell {
  readonly x: number;
  readonly y: number;
  readonly edge: Path2D;
  readonly inner: Path2D;
}

const CELL_M = 40;
const EDGE_RATIO = 2.15;
const INNER_RATIO = 1.75;
/** Half a cell's diagonal, plus the radius of the largest circle that sticks out of the cell. */
const CELL_REACH_M = CELL_M * 0.71 + 12;

export function buildForestFloor(trees: readonly Tree[]): FloorCell[] {
  const cells = new Map<string, FloorCell>();
  for (const tree of trees) {
    const [column, row] = [Math.floor(tree.x / CELL_M), Math.floor(tree.y / CELL_M)];
    const key = `${column},${row}`;
    let cell = cells.get(key);
    if (cell === undefined) {
      cell = { x: (column + 0.5) * CELL_M, y: (row + 0.5) * CELL_M, edge: new Path2D(), inner: new Path2D() };
      cells.set(key, cell);
    }
    addCircle(cell.edge, tree, EDGE_RATIO);
    addCircle(cell.inner, tree, INNER_RATIO);
  }
  return [...cells.values()];
}

function addCircle(path: Path2D, { x, y, radiusM }: Tree, ratio: number): void {
  path.moveTo(x + radiusM * ratio, y);
  path.arc(x, y, radiusM * ratio, 0, Math.PI * 2);
}

export function drawForestFloor(
  context: CanvasRenderingContext2D,
  cells: readonly FloorCell[],
  look: Look,
  view: ViewCircle,
): void {
  const reach = view.radiusM + CELL_REACH_M;
  const visible = cells.filter((cell) => Math.hypot(cell.x - view.x, cell.y - view.y) < reach);
  context.fillStyle = look.undergrowthEdge;
  for (const cell of visible) context.fill(cell.edge);
  context.fillStyle = look.undergrowth;
  for (const cell of visible) context.fill(cell.inner);
}
