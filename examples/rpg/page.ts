// Draws the cave. A click walks there; a hero who comes to a chest opens it.
import { Client } from "@paceline/client";
import { RpgGame } from "./game.js";
import type { GameServer } from "./rooms.js";
import { Hero, TORCH_M } from "./world.js";

const PIXELS_PER_M = 6;
const REACH_M = 2;

const canvas = document.querySelector("canvas")!;
const paint = canvas.getContext("2d")!;
const status = document.querySelector("#status")!;
const form = document.querySelector("form")!;

const client = new Client<GameServer>(location.origin, { profile: "rpg" });
const room = await client.joinOrCreate("cave");
const game = new RpgGame(room);
/** Ids of the chests that this hero has asked for, so that it asks for each once. */
const asked = new Set<number>();

canvas.addEventListener("click", ({ offsetX, offsetY }) => {
  const scale = canvas.width / canvas.clientWidth / PIXELS_PER_M;
  room.send("walk", { x: offsetX * scale, y: offsetY * scale });
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = new FormData(form).get("text");
  if (typeof text === "string" && text !== "") room.send("say", { text });
  form.reset();
});

interface Point {
  readonly x: number;
  readonly y: number;
}

function circle({ x, y }: Point, radiusM: number, color: string): void {
  paint.fillStyle = color;
  paint.beginPath();
  paint.arc(x * PIXELS_PER_M, y * PIXELS_PER_M, radiusM * PIXELS_PER_M, 0, 2 * Math.PI);
  paint.fill();
}

function drawChests(mine: Point | undefined): void {
  for (const { chest, isLit } of game.chests.values()) {
    const { position, isOpen } = chest;
    const isHere = mine !== undefined && Math.hypot(mine.x - position.x, mine.y - position.y) < REACH_M;
    if (isLit && isHere && !isOpen && !asked.has(chest.id)) {
      asked.add(chest.id);
      void room.request("open", chest.id).catch(() => asked.delete(chest.id));
    }
    paint.globalAlpha = isLit ? 1 : 0.35;
    paint.fillStyle = isOpen ? "#5b4a34" : "#e8b04a";
    paint.fillRect(position.x * PIXELS_PER_M - 8, position.y * PIXELS_PER_M - 6, 16, 12);
    paint.globalAlpha = 1;
  }
}

function draw(): void {
  paint.clearRect(0, 0, canvas.width, canvas.height);
  const heroes = [...room.entities(Hero)];
  const mine = heroes.find(({ isMine }) => isMine);
  for (const { shown } of heroes) circle(shown.position, TORCH_M, "#ffd27a18");
  drawChests(mine?.shown.position);
  for (const { shown, isMine } of heroes) {
    const { position, gold } = shown;
    circle(position, 1.5, isMine ? "#6fc3ff" : "#ff8a65");
    paint.fillText(`${gold} gold`, position.x * PIXELS_PER_M - 14, position.y * PIXELS_PER_M - 14);
  }
  status.textContent = `${heroes.length} players, ${game.heard.at(-1) ?? "a click walks"}`;
  requestAnimationFrame(draw);
}
draw();
