import { angle, defineEntity, flag, scalar, vec2 } from "@paceline/client";

export const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
    heading: angle({ precision: 0.001, unit: "rad" }),
    fuel: scalar({ range: [0, 1], precision: 0.01 }),
    braking: flag(),
  },
  { motion: "velocity" },
);

/** A kind without motion: its newest state is shown. */
export const Sign = defineEntity("sign", {
  place: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
  lit: flag(),
});
