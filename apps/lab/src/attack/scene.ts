import { defineEntity, defineInput, scalar, vec2 } from "@paceline/protocol";

/** The players' entities, in rooms with and without an authority. */
export const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
    speed: scalar({ range: [-100, 100], precision: 0.1, unit: "m/s" }),
  },
  { motion: "velocity" },
);

/** The inputs of the arena's players. */
export const Drive = defineInput({ steer: scalar({ range: [-1, 1], precision: 0.01 }) });

/** A message of an honest player: who sent it, its number from 1 on, and when (ms, of the honest process's clock). */
export type Numbered = readonly [from: number, number: number, sentAtMs: number];
