import type { Scenery, Tree } from "../track/scenery.js";
import type { ViewCircle } from "./camera.js";
import { buildForestFloor, drawForestFloor, type FloorCell } from "./forest-floor.js";
import { palette } from "./palette.js";
import { buildWallPieces, drawWalls, type WallPiece } from "./walls.js";

const SPRITE_PX = 160;

/** Pictures and paths that are drawn often, made once. */
export interface SceneryPicture {
  readonly floor: readonly FloorCell[];
  readonly walls: readonly WallPiece[];
  readonly trees: readonly HTMLCanvasElement[];
  readonly stand: HTMLCanvasElement;
}

function sprite(
  width: number,
  height: number,
  draw: (context: CanvasRenderingContext2D) => void,
): HTMLCanvasElement {
  const canvas = document.createElement("canvas");
  canvas.width = width;
  canvas.height = height;
  const context = canvas.getContext("2d");
  if (context !== null) draw(context);
  return canvas;
}

export function buildSceneryPicture(scenery: Scenery): SceneryPicture {
  const { look } = scenery;
  return {
    floor: buildForestFloor(scenery.trees),
    walls: buildWallPieces(scenery.walls),
    trees: look.trees.map((color, kind) => treeSprite(color, look.treeLights[kind] as string, kind)),
    stand: standSprite(scenery),
  };
}

function treeSprite(color: string, light: string, kind: number): HTMLCanvasElement {
  return sprite(SPRITE_PX, SPRITE_PX, (context) => {
    const half = SPRITE_PX / 2;
    const crown = (x: number, y: number, radius: number): void => {
      context.beginPath();
      context.arc(half + x * half, half + y * half, radius * half, 0, Math.PI * 2);
      context.fill();
    };
    const lobes = 7 + kind;
    const ring = (distance: number, radius: number, shift: number): void => {
      for (let lobe = 0; lobe < lobes; lobe++) {
        const angle = (lobe / lobes) * Math.PI * 2 + shift;
        crown(Math.cos(angle) * distance, Math.sin(angle) * distance, radius);
      }
    };
    context.fillStyle = palette.shadow;
    crown(0.1, 0.12, 0.84);
    context.fillStyle = color;
    crown(0, 0, 0.66);
    ring(0.52, 0.32, kind);
    context.fillStyle = light;
    crown(-0.12, -0.14, 0.4);
    ring(0.3, 0.2, kind * 2 + 0.4);
  });
}

const STAND_PX_PER_M = 8;

function standSprite({ stand }: Scenery): HTMLCanvasElement {
  return sprite(stand.widthM * STAND_PX_PER_M, stand.depthM * STAND_PX_PER_M, (context) => {
    const [width, height] = [stand.widthM * STAND_PX_PER_M, stand.depthM * STAND_PX_PER_M];
    context.fillStyle = palette.stand;
    context.fillRect(0, 0, width, height);
    for (let y = 38, row = 0; y < height - 6; y += 9, row++) {
      context.fillStyle = row % 2 === 0 ? "#b4bac4" : "#bfc5ce";
      context.fillRect(0, y - 4, width, 8);
      for (let x = 6, seat = 0; x < width - 4; x += 8, seat++) {
        const pick = Math.abs(Math.sin(seat * 3.17 + row * 7.3) * 997) % 1;
        if (pick < 0.22) continue;
        context.fillStyle = palette.crowd[Math.floor(pick * 61) % palette.crowd.length] as string;
        context.beginPath();
        context.arc(x, y, 2.7, 0, Math.PI * 2);
        context.fill();
      }
    }
    context.fillStyle = palette.standRoof;
    context.fillRect(0, 0, width, 32);
    context.fillStyle = palette.board;
    for (let x = 0; x < width; x += 128) context.fillRect(x, 27, 64, 5);
  });
}

/** Scenery on the ground, under the cars. */
export function drawGroundScenery(
  context: CanvasRenderingContext2D,
  scenery: Scenery,
  picture: SceneryPicture,
  view: ViewCircle,
): void {
  const { lake, stand, look } = scenery;
  context.fillStyle = palette.waterEdge;
  ellipse(context, lake.x, lake.y, lake.radiusX + 1.6, lake.radiusY + 1.6);
  context.fillStyle = palette.water;
  ellipse(context, lake.x, lake.y, lake.radiusX, lake.radiusY);
  context.fillStyle = "rgba(255, 255, 255, 0.16)";
  ellipse(context, lake.x - 3, lake.y - 6, lake.radiusX * 0.66, lake.radiusY * 0.6);
  drawForestFloor(context, picture.floor, look, view);
  context.fillStyle = palette.shadow;
  context.fillRect(
    stand.x - stand.widthM / 2 + 1.5,
    stand.y - stand.depthM / 2 + 1.5,
    stand.widthM,
    stand.depthM,
  );
  context.drawImage(
    picture.stand,
    stand.x - stand.widthM / 2,
    stand.y - stand.depthM / 2,
    stand.widthM,
    stand.depthM,
  );
  drawWalls(context, picture.walls, look.wallShadow, view);
}

/** Scenery above the cars. */
export function drawHighScenery(
  context: CanvasRenderingContext2D,
  scenery: Scenery,
  picture: SceneryPicture,
  view: ViewCircle,
): void {
  for (const board of scenery.boards) drawBoard(context, board);
  for (const tree of scenery.trees) {
    if (!isVisible(tree, view, tree.radiusM + 1)) continue;
    const size = tree.radiusM * 2.3;
    context.drawImage(
      picture.trees[tree.kind] as HTMLCanvasElement,
      tree.x - size / 2,
      tree.y - size / 2,
      size,
      size,
    );
  }
}

function drawBoard(context: CanvasRenderingContext2D, board: Scenery["boards"][number]): void {
  context.save();
  context.translate(board.x, board.y);
  context.rotate(board.headingRad);
  const heightM = 2.2;
  context.fillStyle = palette.shadow;
  context.fillRect(-board.lengthM / 2 + 0.4, -heightM / 2 + 0.4, board.lengthM, heightM);
  context.fillStyle = palette.board;
  context.fillRect(-board.lengthM / 2, -heightM / 2, board.lengthM, heightM);
  context.fillStyle = palette.boardText;
  // Fonts below a pixel are not drawn reliably, hence the scale.
  context.scale(0.1, 0.1);
  context.font = "800 15px system-ui, sans-serif";
  context.textAlign = "center";
  context.textBaseline = "middle";
  context.fillText(board.text, 0, 0.8);
  context.restore();
}

function isVisible(tree: Tree, view: ViewCircle, marginM: number): boolean {
  const reach = view.radiusM + marginM;
  return Math.abs(tree.x - view.x) < reach && Math.abs(tree.y - view.y) < reach;
}

function ellipse(
  context: CanvasRenderingContext2D,
  x: number,
  y: number,
  radiusX: number,
  radiusY: number,
): void {
  context.beginPath();
  context.ellipse(x, y, radiusX, radiusY, 0, 0, Math.PI * 2);
  context.fill();
}
