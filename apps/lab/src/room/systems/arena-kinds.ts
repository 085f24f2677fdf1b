import { angle, defineEntity, defineInput, int, scalar, uint, vec2 } from "@paceline/protocol";

/** A car at the precision of a game, in a world much larger than the cars' area. */
export const ArenaCar = defineEntity(
  "car",
  {
    position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
    // With this name the field is not part of the motion model. It changes at every tick, so every car is
    // sent at every tick, as
    // rivals do. A room would leave out what receivers can predict.
    yaw: angle({ precision: 0.005, unit: "rad" }),
    index: uint({ range: [0, 1023] }),
    lastInput: uint({ range: [0, 0xffff] }),
  },
  { motion: "velocity" },
);
/** Time after which the clock of the states restarts at zero. */
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
