// Draws the part of the arena around the own cells. The pointer steers, the space bar splits.
import { Client } from "@paceline/client";
import { ArenaGame } from "./game.js";
import type { GameServer } from "./rooms.js";
import { Cell, Food, SIZE_M, Virus, radiusOf } from "./world.js";

const SCREEN_M = 200;
const COLORS = ["#ff8a65", "#ffd54f", "#9ccc65", "#4dd0e1", "#7986cb", "#f06292"] as const;

const canvas = document.querySelector("canvas")!;
const paint = canvas.getContext("2d")!;
const [status, leaders, lines] = ["#status", "#leaders", "#lines"].map((name) =>
  document.querySelector(name)!,
);
const form = document.querySelector("form")!;

const name = new URLSearchParams(location.search).get("name");
const client = new Client<GameServer>(location.origin, { profile: "action" });
const room = await client.joinOrCreate("arena", name ? { name } : {});
const game = new ArenaGame(room);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = new FormData(form).get("text");
  if (typeof text === "string" && text !== "") room.send("say", { text });
  form.reset();
  form.querySelector("input")!.blur();
});
addEventListener("pointermove", ({ clientX, clientY }) => {
  const half = Math.min(innerWidth, innerHeight) / 2;
  game.steer.x = Math.max(-1, Math.min(1, (clientX - innerWidth / 2) / half));
  game.steer.y = Math.max(-1, Math.min(1, (clientY - innerHeight / 2) / half));
});
addEventListener("keydown", (event) => {
  if (event.key !== " " || event.repeat || event.target instanceof HTMLInputElement) return;
  event.preventDefault();
  room.send("split", {});
});

/** The point of the world in the middle of the screen. */
let camera = { x: SIZE_M / 2, y: SIZE_M / 2 };
let pixelsPerM = 1;

function disc(at: { readonly x: number; readonly y: number }, radiusM: number, color: string): void {
  paint.fillStyle = color;
  paint.beginPath();
  paint.arc(at.x, at.y, radiusM, 0, 2 * Math.PI);
  paint.fill();
}

function drawGround(): void {
  paint.strokeStyle = "#1d2733";
  paint.lineWidth = 0.4;
  paint.beginPath();
  for (let line = 0; line <= SIZE_M; line += 25) {
    paint.moveTo(line, 0);
    paint.lineTo(line, SIZE_M);
    paint.moveTo(0, line);
    paint.lineTo(SIZE_M, line);
  }
  paint.stroke();
}

function drawVirus({ x, y }: { readonly x: number; readonly y: number }): void {
  paint.fillStyle = "#66bb6a";
  paint.beginPath();
  for (let tip = 0; tip < 36; tip++) {
    const angle = (tip * Math.PI) / 18;
    const radiusM = tip % 2 ? 7 : 8.2;
    paint.lineTo(x + radiusM * Math.cos(angle), y + radiusM * Math.sin(angle));
  }
  paint.fill();
}

function drawPanels(mass: number, players: number): void {
  status!.textContent = `${Math.round(mass)} · ${players} players · the pointer steers, space splits`;
  leaders!.replaceChildren(...game.leaders.map((leader) => textOf("li", `${leader.name} ${leader.mass}`)));
  lines!.replaceChildren(...game.heard.slice(-5).map((line) => textOf("p", line)));
}
function textOf(tag: string, text: string): HTMLElement {
  const element = document.createElement(tag);
  element.textContent = text;
  return element;
}

function draw(): void {
  const cells = [...room.entities(Cell)].toSorted((one, other) => one.mass - other.mass);
  const mine = cells.filter(({ isMine }) => isMine);
  const mass = mine.reduce((sum, cell) => sum + cell.mass, 0);
  if (mass > 0) {
    const [x, y] = (["x", "y"] as const).map((axis) =>
      mine.reduce((sum, cell) => sum + (cell.shown.position[axis] * cell.mass) / mass, 0),
    );
    camera = { x: x!, y: y! };
  }
  const { width, height } = canvas;
  pixelsPerM = Math.max(width / SCREEN_M, height / (0.75 * SCREEN_M));
  paint.setTransform(1, 0, 0, 1, 0, 0);
  paint.clearRect(0, 0, width, height);
  paint.setTransform(
    pixelsPerM,
    0,
    0,
    pixelsPerM,
    width / 2 - camera.x * pixelsPerM,
    height / 2 - camera.y * pixelsPerM,
  );
  drawGround();
  for (const food of room.entities(Food)) disc(food.position, 1, COLORS[food.color]!);
  for (const cell of cells) {
    const { position } = cell.shown;
    disc(position, radiusOf(cell.mass), cell.isMine ? "#6fc3ff" : COLORS[(cell.owner?.number ?? 0) % 6]!);
    paint.fillStyle = "#10151c";
    paint.font = `600 ${radiusOf(cell.mass) / 2}px system-ui`;
    paint.textAlign = "center";
    paint.fillText(String(cell.mass), position.x, position.y + radiusOf(cell.mass) / 6);
  }
  for (const virus of room.entities(Virus)) drawVirus(virus.position);
  requestAnimationFrame(draw);
}

function fit(): void {
  canvas.width = innerWidth * devicePixelRatio;
  canvas.height = innerHeight * devicePixelRatio;
}
addEventListener("resize", fit);
fit();
draw();
setInterval(() => {
  const mine = [...room.entities(Cell)].filter(({ isMine }) => isMine);
  drawPanels(
    mine.reduce((sum, cell) => sum + cell.mass, 0),
    room.peers.length + 1,
  );
}, 250);
