// Draws the arena on a canvas around the own soldier. A click shoots at what is seen there.
import { Client } from "@paceline/client";
import { ShooterGame } from "./game.js";
import type { GameServer } from "./rooms.js";
import { Soldier } from "./world.js";

const PIXELS_PER_M = 20;
const EDGE_M = 50;

const canvas = document.querySelector("canvas")!;
const paint = canvas.getContext("2d")!;
const status = document.querySelector("#status")!;

const client = new Client<GameServer>(location.origin, { profile: "shooter" });
const room = await client.joinOrCreate("arena");
const game = new ShooterGame(room);

let news = "";
room.onMessage("hit", ({ by }) => (news = `, player ${by} hits`));

const keys = new Set<string>();
addEventListener("keydown", ({ key }) => keys.add(key));
addEventListener("keyup", ({ key }) => keys.delete(key));
room.loop(() => {
  game.stick.x = Number(keys.has("ArrowRight")) - Number(keys.has("ArrowLeft"));
  game.stick.y = Number(keys.has("ArrowDown")) - Number(keys.has("ArrowUp"));
});

const middle = { x: canvas.width / 2, y: canvas.height / 2 };
/** The point of the world in the middle of the canvas. */
let camera = { x: 0, y: 0 };
canvas.addEventListener("click", ({ offsetX, offsetY }) => {
  const scale = (canvas.width / canvas.clientWidth) * (1 / PIXELS_PER_M);
  const half = { x: middle.x / PIXELS_PER_M, y: middle.y / PIXELS_PER_M };
  game.shoot(camera.x + offsetX * scale - half.x, camera.y + offsetY * scale - half.y);
});

function draw(): void {
  const soldiers = [...room.entities(Soldier)];
  const mine = soldiers.find(({ isMine }) => isMine);
  if (mine) camera = { x: mine.shown.position.x, y: mine.shown.position.y };
  const at = (x: number, y: number) =>
    [middle.x + (x - camera.x) * PIXELS_PER_M, middle.y + (y - camera.y) * PIXELS_PER_M] as const;
  paint.clearRect(0, 0, canvas.width, canvas.height);
  paint.strokeStyle = "#343b48";
  for (let line = -EDGE_M; line <= EDGE_M; line += 5) {
    paint.beginPath();
    paint.moveTo(...at(line, -EDGE_M));
    paint.lineTo(...at(line, EDGE_M));
    paint.moveTo(...at(-EDGE_M, line));
    paint.lineTo(...at(EDGE_M, line));
    paint.stroke();
  }
  for (const { shown, isMine } of soldiers) {
    const [x, y] = at(shown.position.x, shown.position.y);
    paint.fillStyle = isMine ? "#6fc3ff" : "#ff8a65";
    paint.beginPath();
    paint.arc(x, y, 0.5 * PIXELS_PER_M, 0, 2 * Math.PI);
    paint.fill();
    paint.fillText(`${shown.hp} hp, ${shown.kills} kills`, x - 25, y - 16);
  }
  status.textContent = `${soldiers.length} players, arrows walk, a click shoots${news}`;
  requestAnimationFrame(draw);
}
draw();
