// Shared by the server and the players: the kinds of things, the inputs, and the physics of one tick.
import { defineEntity, defineInput, scalar, uint, vec2, type Directed } from "@paceline/client";

const SPEED = 6;

export const Soldier = defineEntity(
  "soldier",
  {
    position: vec2({ range: [-50, 50], precision: 0.01, unit: "m" }),
    hp: uint({ range: [0, 100], default: 100 }),
    kills: uint({ range: [0, 999] }),
  },
  { motion: "velocity" },
);
export const Move = defineInput({
  x: scalar({ range: [-1, 1], precision: 0.01 }),
  y: scalar({ range: [-1, 1], precision: 0.01 }),
});

export interface Messages {
  /** `at` is the tick that the shooter saw; the server checks that it is plausible. */
  shoot: Directed<{ at: number; x: number; y: number }>;
  hit: Directed<never, { by: number; target: number }>;
}

type Point = { x: number; y: number };

/** Server and players run the same physics: otherwise the server would correct every step. */
export function walk({ position }: { position: Point }, { x, y }: Readonly<Point>, seconds: number): void {
  position.x += x * SPEED * seconds;
  position.y += y * SPEED * seconds;
}
