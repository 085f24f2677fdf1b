import { angle, defineEntity, flag, scalar, vec2 } from "@paceline/client";

/** What of a car travels: enough to draw it, to predict it and to see what its driver is doing. */
export const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-2048, 2048], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-120, 120], precision: 0.01, unit: "m/s" }),
    heading: angle({ precision: 0.002, unit: "rad" }),
    steer: scalar({ range: [-1, 1], precision: 1 / 127 }),
    throttle: scalar({ range: [-1, 1], precision: 1 / 127 }),
    handbrake: flag(),
  },
  { motion: "velocity", threshold: { position: 0.1, heading: 0.035 } },
);
