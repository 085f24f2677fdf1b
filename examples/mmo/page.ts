// Draws the part of the world around the own character. A click walks there.
import { Client } from "@paceline/client";
import { MmoGame } from "./game.js";
import type { GameServer } from "./rooms.js";
import { Character, Creature, SIZE_M } from "./world.js";

const PIXELS_PER_M = 4;
const MAP_PIXELS = 120;

const canvas = document.querySelector("canvas")!;
const paint = canvas.getContext("2d")!;
const status = document.querySelector("#status")!;
const form = document.querySelector("form")!;

const client = new Client<GameServer>(location.origin, { profile: "mmo" });
const room = await client.joinOrCreate("world");
const game = new MmoGame(room);

form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = new FormData(form).get("text");
  if (typeof text === "string" && text !== "") game.say(text);
  form.reset();
});

const half = { x: canvas.width / 2 / PIXELS_PER_M, y: canvas.height / 2 / PIXELS_PER_M };
/** The point of the world in the middle of the canvas. */
let camera = { x: SIZE_M / 2, y: SIZE_M / 2 };
canvas.addEventListener("click", ({ offsetX, offsetY }) => {
  const scale = canvas.width / canvas.clientWidth / PIXELS_PER_M;
  game.walkTo(camera.x + offsetX * scale - half.x, camera.y + offsetY * scale - half.y);
});

function circle(at: { readonly x: number; readonly y: number }, radius: number, color: string): void {
  const x = (at.x - camera.x + half.x) * PIXELS_PER_M;
  const y = (at.y - camera.y + half.y) * PIXELS_PER_M;
  paint.fillStyle = color;
  paint.beginPath();
  paint.arc(x, y, radius, 0, 2 * Math.PI);
  paint.fill();
}

/** A map of the world in the corner: the own place, and where creatures were last seen. */
function drawMap(): void {
  const pixelsPerM = MAP_PIXELS / SIZE_M;
  const dot = ({ x, y }: { readonly x: number; readonly y: number }, pixels: number): void =>
    paint.fillRect(x * pixelsPerM - pixels / 2, y * pixelsPerM - pixels / 2, pixels, pixels);
  paint.fillStyle = "#0008";
  paint.fillRect(0, 0, MAP_PIXELS, MAP_PIXELS);
  paint.fillStyle = "#9bc46b88";
  for (const place of game.lastSeen.values()) dot(place, 2);
  paint.fillStyle = "#6fc3ff";
  dot(camera, 5);
}

function draw(): void {
  const characters = [...room.entities(Character)];
  const mine = characters.find(({ isMine }) => isMine);
  if (mine) camera = { x: mine.shown.position.x, y: mine.shown.position.y };
  paint.clearRect(0, 0, canvas.width, canvas.height);
  let creatures = 0;
  for (const { shown } of room.entities(Creature)) {
    circle(shown.position, 5, "#9bc46b");
    creatures += 1;
  }
  for (const { shown, isMine } of characters) circle(shown.position, 8, isMine ? "#6fc3ff" : "#ff8a65");
  drawMap();
  const line = game.heard.at(-1);
  const heard = line ? `player ${line.from}: ${line.text}` : "a click walks";
  status.textContent = `${characters.length} players, ${creatures} creatures near, ${heard}`;
  requestAnimationFrame(draw);
}
draw();
