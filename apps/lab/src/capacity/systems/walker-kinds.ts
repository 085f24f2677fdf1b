import { angle, defineEntity, uint, vec2 } from "@paceline/protocol";
import { POSITION, STEPS, VELOCITY } from "../system.js";

const position = (POSITION.max - POSITION.min) / (STEPS + 1);
const velocity = (VELOCITY.max - VELOCITY.min) / (STEPS + 1);

/**
 * A walker with the 16 bits of each field that the rivals have. With motion `hold` every move is sent at every
 * tick, as rivals do. A game would leave out what receivers can predict.
 */
export const Walker = defineEntity(
  "walker",
  {
    position: vec2({ range: [POSITION.min, POSITION.max - position], precision: position, unit: "m" }),
    velocity: vec2({ range: [VELOCITY.min, VELOCITY.max - velocity], precision: velocity, unit: "m/s" }),
    yaw: angle({ precision: (2 * Math.PI) / (STEPS + 1), unit: "rad" }),
    index: uint({ range: [0, STEPS] }),
    lastInput: uint({ range: [0, STEPS] }),
  },
  { motion: "hold", threshold: { position } },
);
