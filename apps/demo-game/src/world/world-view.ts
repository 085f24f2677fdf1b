import type { Point } from "./crowd.js";
import type { SeenWalker } from "./visit.js";
import { WORLD_M, type Ring } from "./world-kinds.js";

/** Colours of the rings of detail, the nearest first; then of what is not received. */
export const RING_COLORS = ["#5ad1a0", "#f2b632", "#b47cff"] as const;
const UNSEEN_COLOR = "#4a5568";
const OWN_COLOR = "#5aa6ff";
const VISITOR_COLOR = "#ff8a65";
const GRID_M = 50;
/** Metres that the shorter side of the view shows. */
const VIEW_M = 260;
const WALKER_M = 1.8;

export interface Scene {
  readonly own: Point;
  readonly seen: Iterable<SeenWalker>;
  readonly all: Iterable<SeenWalker>;
  readonly rings: readonly Ring[];
}

/** Returns the colour of the ring in which a place lies. */
function colorAt({ own, rings }: Scene, { x, y }: Point): string {
  const distanceM = Math.hypot(x - own.x, y - own.y);
  const ring = rings.findIndex(({ radiusM }) => distanceM <= radiusM);
  return RING_COLORS[ring === -1 ? rings.length - 1 : ring]!;
}

/** A canvas that shows a square part of the world. */
class WorldCanvas {
  readonly canvas: HTMLCanvasElement;
  readonly paint: CanvasRenderingContext2D;
  pixelsPerM = 1;

  constructor(canvas: HTMLCanvasElement) {
    this.canvas = canvas;
    this.paint = canvas.getContext("2d")!;
  }

  /** Fits the canvas to its box, and looks at a place of which the shorter side shows so much. */
  look(middle: Point, shownM: number): void {
    const { canvas, paint } = this;
    const width = Math.round(canvas.clientWidth * devicePixelRatio);
    const height = Math.round(canvas.clientHeight * devicePixelRatio);
    if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
    this.pixelsPerM = Math.min(width, height) / shownM;
    const scale = this.pixelsPerM;
    paint.setTransform(1, 0, 0, 1, 0, 0);
    paint.clearRect(0, 0, width, height);
    paint.setTransform(scale, 0, 0, scale, width / 2 - middle.x * scale, height / 2 - middle.y * scale);
  }

  disc({ x, y }: Point, radiusM: number, color: string): void {
    this.paint.fillStyle = color;
    this.paint.beginPath();
    this.paint.arc(x, y, radiusM, 0, 2 * Math.PI);
    this.paint.fill();
  }

  circle({ x, y }: Point, radiusM: number, color: string, widthPixels: number): void {
    this.paint.strokeStyle = color;
    this.paint.lineWidth = (widthPixels * devicePixelRatio) / this.pixelsPerM;
    this.paint.beginPath();
    this.paint.arc(x, y, radiusM, 0, 2 * Math.PI);
    this.paint.stroke();
  }

  grid(edgeM: number, color: string): void {
    const { paint } = this;
    paint.strokeStyle = color;
    paint.lineWidth = devicePixelRatio / this.pixelsPerM;
    paint.beginPath();
    for (let line = 0; line <= WORLD_M + 0.01; line += edgeM) {
      paint.moveTo(line, 0);
      paint.lineTo(line, WORLD_M);
      paint.moveTo(0, line);
      paint.lineTo(WORLD_M, line);
    }
    paint.stroke();
  }
}

/** The part of the world around the visitor, with nothing but what the page receives. */
export class NearView {
  readonly #view: WorldCanvas;
  #middle: Point = { x: WORLD_M / 2, y: WORLD_M / 2 };

  constructor(canvas: HTMLCanvasElement) {
    this.#view = new WorldCanvas(canvas);
  }

  draw(scene: Scene): void {
    const view = this.#view;
    this.#middle = scene.own;
    view.look(scene.own, VIEW_M);
    view.grid(GRID_M, "#232c3b");
    for (const [index, { radiusM }] of scene.rings.entries())
      view.circle(scene.own, radiusM, `${RING_COLORS[index]!}66`, 2);
    for (const walker of scene.seen) {
      const { position } = walker.shown;
      const color = walker.isVisitor ? VISITOR_COLOR : colorAt(scene, position);
      view.disc(position, WALKER_M, walker.isMine ? OWN_COLOR : color);
      if (walker.isMine) view.circle(position, 2 * WALKER_M, OWN_COLOR, 2);
    }
  }

  /** Returns the place of the world under a pointer. */
  placeAt(clientX: number, clientY: number): Point {
    const box = this.#view.canvas.getBoundingClientRect();
    const metres = (pixels: number): number => (pixels * devicePixelRatio) / this.#view.pixelsPerM;
    const x = this.#middle.x + metres(clientX - box.left - box.width / 2);
    const y = this.#middle.y + metres(clientY - box.top - box.height / 2);
    return { x: Math.min(WORLD_M, Math.max(0, x)), y: Math.min(WORLD_M, Math.max(0, y)) };
  }
}

/** The whole world: walkers that the page receives by their ring, the others in grey, and the cells of the grid. */
export class WorldMap {
  readonly #view: WorldCanvas;

  constructor(canvas: HTMLCanvasElement) {
    this.#view = new WorldCanvas(canvas);
  }

  /** @param cellM edge of a square cell; undefined if the ground is divided otherwise */
  draw(scene: Scene, cellM: number | undefined): void {
    const view = this.#view;
    view.look({ x: WORLD_M / 2, y: WORLD_M / 2 }, WORLD_M);
    if (cellM !== undefined) view.grid(cellM, "#2b3648");
    for (const { shown } of scene.all) view.disc(shown.position, 4, UNSEEN_COLOR);
    for (const { shown } of scene.seen) view.disc(shown.position, 5, colorAt(scene, shown.position));
    for (const [index, { radiusM }] of scene.rings.entries())
      view.circle(scene.own, radiusM, RING_COLORS[index]!, 1.5);
    view.disc(scene.own, 9, OWN_COLOR);
  }
}
