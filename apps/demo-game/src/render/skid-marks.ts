import type { ViewCircle } from "./camera.js";
import { palette } from "./palette.js";

const CELL_M = 32;
/** A cell drops its oldest marks beyond this number. */
const MAX_PER_CELL = 260;
const MIN_SEGMENT_M = 0.45;
const MAX_SEGMENT_M = 4;
const SHADES = [0.16, 0.3, 0.46] as const;

interface Segment {
  readonly fromX: number;
  readonly fromY: number;
  readonly toX: number;
  readonly toY: number;
  readonly shade: number;
}

interface Cell {
  readonly segments: Segment[];
  /** One path per shade, rebuilt when the cell has changed. */
  paths: Path2D[] | undefined;
}

interface Trail {
  x: number;
  y: number;
}

/** The skid marks of all cars, kept as long as the page lives, within the limit of each cell. */
export class SkidMarks {
  readonly #cells = new Map<string, Cell>();
  readonly #trails = new Map<string, Trail>();

  /**
   * Continues a wheel's mark to (x, y). `strength`: how much the tyre slides, 0 to 1; the mark ends below
   * 0.12.
   */
  mark(wheel: string, x: number, y: number, strength: number): void {
    if (strength < 0.12) {
      this.#trails.delete(wheel);
      return;
    }
    const trail = this.#trails.get(wheel);
    if (trail === undefined) {
      this.#trails.set(wheel, { x, y });
      return;
    }
    const lengthM = Math.hypot(x - trail.x, y - trail.y);
    if (lengthM < MIN_SEGMENT_M) return;
    if (lengthM <= MAX_SEGMENT_M) {
      const shade = Math.min(SHADES.length - 1, Math.floor(strength * SHADES.length));
      this.#add({ fromX: trail.x, fromY: trail.y, toX: x, toY: y, shade });
    }
    trail.x = x;
    trail.y = y;
  }

  draw(context: CanvasRenderingContext2D, view: ViewCircle): void {
    context.lineWidth = 0.26;
    context.lineCap = "butt";
    const low = (value: number): number => Math.floor((value - view.radiusM) / CELL_M);
    const high = (value: number): number => Math.floor((value + view.radiusM) / CELL_M);
    for (let cellX = low(view.x); cellX <= high(view.x); cellX++) {
      for (let cellY = low(view.y); cellY <= high(view.y); cellY++) {
        const cell = this.#cells.get(`${cellX},${cellY}`);
        if (cell !== undefined) this.#drawCell(context, cell);
      }
    }
  }

  #add(segment: Segment): void {
    const key = `${Math.floor(segment.toX / CELL_M)},${Math.floor(segment.toY / CELL_M)}`;
    let cell = this.#cells.get(key);
    if (cell === undefined) this.#cells.set(key, (cell = { segments: [], paths: undefined }));
    cell.segments.push(segment);
    if (cell.segments.length > MAX_PER_CELL) cell.segments.splice(0, MAX_PER_CELL / 4);
    cell.paths = undefined;
  }

  #drawCell(context: CanvasRenderingContext2D, cell: Cell): void {
    cell.paths ??= SHADES.map((_, shade) => {
      const path = new Path2D();
      for (const segment of cell.segments) {
        if (segment.shade !== shade) continue;
        path.moveTo(segment.fromX, segment.fromY);
        path.lineTo(segment.toX, segment.toY);
      }
      return path;
    });
    cell.paths.forEach((path, shade) => {
      context.strokeStyle = `rgba(${palette.tyreMark}, ${SHADES[shade] as number})`;
      context.stroke(path);
    });
  }
}
