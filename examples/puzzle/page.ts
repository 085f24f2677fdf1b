// Draws the board. Both players steer the same block with the arrow keys.
import { Client } from "@paceline/client";
import { PuzzleGame, type Key } from "./game.js";

const PLAYERS = 2;
const CELL_PX = 30;
const keys: Readonly<Record<string, Key>> = { ArrowLeft: "left", ArrowRight: "right", ArrowDown: "drop" };

const canvas = document.querySelector("canvas")!;
const paint = canvas.getContext("2d")!;
const status = document.querySelector("#status")!;

const client = new Client(location.origin, { profile: "puzzle" });
const room = await client.joinOrCreate("board");
const game = new PuzzleGame(room, PLAYERS);

addEventListener("keydown", ({ key }) => {
  const command = keys[key];
  if (command) game.match.give(command);
});

function cell(x: number, y: number, player: number): void {
  paint.fillStyle = player === 0 ? "#2b3044" : player === room.myNumber ? "#6fc3ff" : "#ff8a65";
  paint.fillRect(x * CELL_PX + 1, y * CELL_PX + 1, CELL_PX - 2, CELL_PX - 2);
}

function draw(): void {
  paint.clearRect(0, 0, canvas.width, canvas.height);
  for (const [y, row] of game.board.entries()) for (const [x, player] of row.entries()) cell(x, y, player);
  const hasBegun = game.match.players.length > 0;
  if (hasBegun) for (const { x, y } of game.cells()) cell(x, y, game.falling.player);
  status.textContent = hasBegun
    ? `${game.match.players.length} players, ${game.rowsCleared} rows`
    : "waiting for a second player";
  requestAnimationFrame(draw);
}
draw();
