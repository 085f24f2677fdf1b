import { defineEntity, defineInput, scalar, vec2 } from "@paceline/protocol";

/** The players' entity, in rooms with and without an authority. */
export const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
    speed: scalar({ range: [-100, 100], precision: 0.1, unit: "m/s" }),
  },
  { motion: "velocity" },
);

export const Drive = defineInput({ steer: scalar({ range: [-1, 1], precision: 0.01 }) });

/** A message of an honest player. Numbers begin at 1; the time is in ms on the honest process's clock. */
export type Numbered = readonly [from: number, number: number, sentAtMs: number];
