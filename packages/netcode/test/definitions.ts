import { angle, defineEntity, flag, int, scalar, vec2, vec3 } from "@paceline/protocol";

const metres = { range: [-1000, 1000], precision: 0.01, unit: "m" } as const;

/** A car whose velocity the game writes. */
export const Car = defineEntity(
  "car",
  {
    position: vec2(metres),
    velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
    heading: angle({ precision: 0.001, unit: "rad" }),
    steering: scalar({ range: [-1, 1], precision: 0.01 }),
    gear: int({ range: [-1, 6] }),
    braking: flag(),
  },
  { motion: "velocity" },
);

/** A ship whose velocity is derived. */
export const Ship = defineEntity(
  "ship",
  { position: vec2(metres), heading: angle({ precision: 0.001, unit: "rad" }) },
  { motion: "velocity" },
);

export const Drone = defineEntity("drone", { position: vec3(metres) }, { motion: "velocity" });

export const Sign = defineEntity("sign", {
  place: vec3(metres),
  height: scalar({ range: [2, 8], precision: 0.1, unit: "m" }),
  lit: flag(),
});
