import { Client } from "@paceline/client";
import { wish } from "./keys.js";
import { Coin, Dot, Move, step } from "./world.js";

const canvas = document.querySelector("canvas")!;
const status = document.querySelector("#status")!;
const paint = canvas.getContext("2d")!;

const client = new Client(location.origin, { profile: "action" });
const room = await client.joinOrCreate("arena");

room.predict(Dot, Move, step); // shows the own dot at once, without waiting for the server
const input = room.input(Move);

// Once for each step of the server: what the player wants.
room.loop(() => {
  input.x = wish.x;
  input.y = wish.y;
});

function circle(at: { readonly x: number; readonly y: number }, radius: number, color: string): void {
  paint.fillStyle = color;
  paint.beginPath();
  paint.arc(at.x, at.y, radius, 0, 2 * Math.PI);
  paint.fill();
}

function draw(): void {
  paint.clearRect(0, 0, canvas.width, canvas.height);
  for (const coin of room.entities(Coin)) circle(coin.shown.position, 8, "gold");
  for (const dot of room.entities(Dot)) {
    // `shown` is where the dot is now: the own one where the keys have brought it, the others continued.
    const { position, hue } = dot.shown;
    circle(position, dot.isMine ? 16 : 12, `hsl(${hue} 80% 60%)`);
    paint.fillText(String(dot.score), position.x - 3, position.y - 20);
  }
  requestAnimationFrame(draw);
}
draw();

const say = (): void => {
  status.textContent = "Move with the arrow keys. The server counts who gets the coin.";
};
say();
room.onReconnect(say);
room.onDrop(() => (status.textContent = "The connection is lost; coming back by itself ..."));
