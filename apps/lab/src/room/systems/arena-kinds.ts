import { angle, defineEntity, defineInput, int, scalar, uint, vec2 } from "@paceline/protocol";

/** As fine as games need it, in a world much larger than where the cars are. */
export const ArenaCar = defineEntity(
  "car",
  {
    position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
    // By this name it is no part of the motion that receivers continue, and it changes at every tick: so every car is
    // told at every tick, as the rivals tell it, where a room would leave out what is predicted to a step.
    yaw: angle({ precision: 0.005, unit: "rad" }),
    index: uint({ range: [0, 1023] }),
    lastInput: uint({ range: [0, 0xffff] }),
  },
  { motion: "velocity" },
);
/** The clock of the states starts again from zero after this time. */
export const CLOCK_MS = 100_000;
export const ArenaClock = defineEntity("clock", {
  worldTick: uint({ range: [0, 0xffffff] }),
  sentMs: scalar({ range: [0, CLOCK_MS], precision: 0.01, unit: "ms" }),
});

export const ArenaInput = defineInput({
  number: uint({ range: [0, 0xffff] }),
  steer: int({ range: [-127, 127] }),
  throttle: int({ range: [-127, 127] }),
  brake: scalar({ range: [0, 8], precision: 0.001 }),
  aim: scalar({ range: [0, 8], precision: 0.001 }),
});
