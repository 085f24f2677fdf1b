// The page and the server both import this: the things of the world, the players' input, and how a player moves.
import { defineEntity, defineInput, scalar, uint, vec2 } from "@paceline/client";

export const WIDTH = 800;
export const HEIGHT = 500;
const SPEED = 250;

const position = vec2({ range: [0, WIDTH], precision: 0.1, unit: "px" });

export const Dot = defineEntity(
  "dot",
  { position, hue: uint({ range: [0, 359] }), score: uint({ range: [0, 9999] }) },
  { motion: "velocity" },
);
export const Coin = defineEntity("coin", { position });

export const Move = defineInput({
  x: scalar({ range: [-1, 1], precision: 0.01 }),
  y: scalar({ range: [-1, 1], precision: 0.01 }),
});

interface Point {
  x: number;
  y: number;
}

/** One step of a dot. The server calls it for all; the page calls it for its own dot, so that keys act at once. */
export function step(dot: { readonly position: Point }, move: Readonly<Point>, seconds: number): void {
  const { position } = dot;
  position.x = Math.min(Math.max(position.x + move.x * SPEED * seconds, 0), WIDTH);
  position.y = Math.min(Math.max(position.y + move.y * SPEED * seconds, 0), HEIGHT);
}
