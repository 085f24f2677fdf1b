import { Client, defineEntity, uint, vec2 } from "@paceline/client";
import { wish } from "./keys.js";

const canvas = document.querySelector("canvas")!;
const status = document.querySelector("#status")!;
const paint = canvas.getContext("2d")!;
const SPEED = 250;

// Players see this of each other. `motion` continues a dot between two states; `threshold` is how wrong that may be.
const Dot = defineEntity(
  "dot",
  {
    position: vec2({ range: [0, 800], precision: 0.1, unit: "px" }),
    hue: uint({ range: [0, 359] }),
  },
  { motion: "velocity", threshold: { position: 1 } },
);

const client = new Client(location.origin, { profile: "action" });
const room = await client.joinOrCreate("canvas");
const mine = room.spawn(Dot, {
  position: { x: 100 + Math.random() * 600, y: 100 + Math.random() * 300 },
  hue: Math.floor(Math.random() * 360),
});

// Once a frame: move the own dot, draw all of them. The SDK decides what to send.
room.loop((seconds) => {
  const { x, y } = mine.position;
  mine.position.set(
    Math.min(Math.max(x + wish.x * SPEED * seconds, 0), canvas.width),
    Math.min(Math.max(y + wish.y * SPEED * seconds, 0), canvas.height),
  );
  paint.clearRect(0, 0, canvas.width, canvas.height);
  for (const dot of room.entities(Dot)) {
    // `shown` is where the dot is now; `position` is its newest state, which is a little old.
    const { position, hue } = dot.shown;
    paint.fillStyle = `hsl(${hue} 80% 60%)`;
    paint.beginPath();
    paint.arc(position.x, position.y, dot.isMine ? 16 : 12, 0, 2 * Math.PI);
    paint.fill();
  }
});

const say = (): void => {
  status.textContent = `Move with the arrow keys. Others here: ${room.peers.length}`;
};
say();
room.onPeerJoin(say);
room.onPeerLeave(say);
room.onReconnect(say);
room.onDrop(() => (status.textContent = "The connection is lost; coming back by itself ..."));
