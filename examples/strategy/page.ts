// Draws the field. A click on an own unit chooses it, a click elsewhere sends it there.
import { Client } from "@paceline/client";
import { StrategyGame } from "./game.js";

const PLAYERS = 2;
/** Hundredths of a field on one pixel. */
const SCALE = 2.5;
const REACH = 40;

const canvas = document.querySelector("canvas")!;
const paint = canvas.getContext("2d")!;
const status = document.querySelector("#status")!;

const client = new Client(location.origin, { profile: "strategy" });
const room = await client.joinOrCreate("field");
const game = new StrategyGame(room, PLAYERS);

const color = (owner: number): string =>
  owner === 0 ? "#8a8f98" : owner === room.myNumber ? "#6fc3ff" : "#ff8a65";

let chosen = 0;
canvas.addEventListener("click", ({ offsetX, offsetY }) => {
  const [x, y] = [offsetX, offsetY].map((pixels) =>
    Math.round((pixels * canvas.width * SCALE) / canvas.clientWidth),
  ) as [number, number];
  const isHit = (unit: (typeof game.units)[number]): boolean =>
    unit.owner === room.myNumber && Math.hypot(unit.x - x, unit.y - y) < REACH;
  const hit = game.units.findIndex((unit) => isHit(unit));
  if (hit >= 0) chosen = hit;
  else game.match.give({ unit: chosen, x, y });
});

function draw(): void {
  paint.clearRect(0, 0, canvas.width, canvas.height);
  if (game.units[chosen]?.owner !== room.myNumber)
    chosen = Math.max(
      0,
      game.units.findIndex(({ owner }) => owner === room.myNumber),
    );
  for (const { x, y, owner } of game.villages) {
    paint.fillStyle = color(owner);
    paint.fillRect(x / SCALE - 10, y / SCALE - 10, 20, 20);
  }
  for (const [index, { x, y, owner }] of game.units.entries()) {
    paint.fillStyle = color(owner);
    paint.strokeStyle = index === chosen ? "white" : "black";
    paint.beginPath();
    paint.arc(x / SCALE, y / SCALE, 8, 0, 2 * Math.PI);
    paint.fill();
    paint.stroke();
  }
  const villages = game.villages.filter(({ owner }) => owner === room.myNumber).length;
  const waiting = game.match.waitingFor.length > 0 ? ", waiting for the other one" : "";
  status.textContent =
    game.units.length === 0
      ? "waiting for a second player"
      : `${game.match.players.length} players, ${villages} villages are yours${waiting}`;
  requestAnimationFrame(draw);
}
draw();
