// Draws the cave. A click walks there; a hero who comes to a chest opens it.
import { Client } from "@paceline/client";
import { CHESTS, Hero, RpgGame, type Messages } from "./game.js";

const PIXELS_PER_M = 6;
const REACH_M = 2;

const canvas = document.querySelector("canvas")!;
const paint = canvas.getContext("2d")!;
const status = document.querySelector("#status")!;
const form = document.querySelector("form")!;

const client = new Client<Messages>(location.origin, { profile: "rpg" });
const room = await client.joinOrCreate("cave");
const game = new RpgGame(room);

const chests = Array.from({ length: CHESTS }, (_, index) => {
  const angle = (2 * Math.PI * index) / CHESTS;
  return { index, x: 50 + 20 * Math.cos(angle), y: 50 + 20 * Math.sin(angle), isAsked: false };
});

canvas.addEventListener("click", ({ offsetX, offsetY }) => {
  const scale = canvas.width / canvas.clientWidth / PIXELS_PER_M;
  game.goal = { x: offsetX * scale, y: offsetY * scale };
});
form.addEventListener("submit", (event) => {
  event.preventDefault();
  const text = new FormData(form).get("text");
  if (typeof text === "string" && text !== "") room.send("say", { text });
  form.reset();
});

const isOpen = (index: number): boolean => (game.cave.opened & (2 ** index)) !== 0;

async function open(chest: (typeof chests)[number]): Promise<void> {
  chest.isAsked = true;
  // The player who decides may leave before the answer: then the hero asks the next one.
  await game.open(chest.index).catch(() => undefined);
  chest.isAsked = false;
}

function draw(): void {
  paint.clearRect(0, 0, canvas.width, canvas.height);
  for (const chest of chests) {
    const { x, y } = game.me.position;
    const isHere = Math.hypot(x - chest.x, y - chest.y) < REACH_M;
    if (isHere && !isOpen(chest.index) && !chest.isAsked) void open(chest);
    paint.fillStyle = isOpen(chest.index) ? "#5b4a34" : "#e8b04a";
    paint.fillRect(chest.x * PIXELS_PER_M - 8, chest.y * PIXELS_PER_M - 6, 16, 12);
  }
  const heroes = [...room.entities(Hero)];
  for (const { shown, isMine } of heroes) {
    const [x, y] = [shown.position.x * PIXELS_PER_M, shown.position.y * PIXELS_PER_M];
    paint.fillStyle = isMine ? "#6fc3ff" : "#ff8a65";
    paint.beginPath();
    paint.arc(x, y, 9, 0, 2 * Math.PI);
    paint.fill();
    paint.fillText(`${shown.gold} gold`, x - 14, y - 14);
  }
  status.textContent = `${heroes.length} players, ${game.heard.at(-1) ?? "a click walks"}`;
  requestAnimationFrame(draw);
}
draw();
