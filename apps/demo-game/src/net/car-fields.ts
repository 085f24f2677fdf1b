import { angle, flag, scalar, vec2 } from "@paceline/client";

/** The fields that are sent of every car: enough to draw it. */
export const drawnFields = {
  position: vec2({ range: [-2048, 2048], precision: 0.01, unit: "m" }),
  velocity: vec2({ range: [-120, 120], precision: 0.01, unit: "m/s" }),
  heading: angle({ precision: 0.002, unit: "rad" }),
  steer: scalar({ range: [-1, 1], precision: 1 / 127 }),
  throttle: scalar({ range: [-1, 1], precision: 1 / 127 }),
  handbrake: flag(),
};

/** The fields of a car that receivers simulate: those of every car, and the rest of its physical state. */
export const carFields = {
  ...drawnFields,
  yawRate: scalar({ range: [-30, 30], precision: 0.005, unit: "rad/s" }),
  /** The driver's target for the wheel, which follows with a delay. */
  wantedSteer: scalar({ range: [-1, 1], precision: 1 / 127 }),
};
