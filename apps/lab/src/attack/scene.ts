import { defineEntity, defineInput, flag, scalar, uint, vec2 } from "@paceline/protocol";

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
export type Numbered = readonly [from: number, number: number, sentAtMs: number, padding: string];

/** An entity of which a hostile member has thousands, and that never changes. */
export const Light = defineEntity("light", { level: uint({ range: [0, 60_000] }), isLit: flag() });

/** A moving entity of the room `cells`. Its states take about 11 bytes. */
export const Cell = defineEntity(
  "cell",
  {
    position: vec2({ range: [-512, 512], precision: 0.0005, unit: "m" }),
    velocity: vec2({ range: [-512, 512], precision: 0.002, unit: "m/s" }),
    aim: vec2({ range: [-1, 1], precision: 0.00001 }),
    index: uint({ range: [0, 255] }),
  },
  { motion: "velocity" },
);
export const CELLS = 64;

const CELL_TICK_MS = 1000 / 60;
const NOISE_M = 0.5;
const NOISE_MPS = 4;

/** Returns a number from -1 to 1 that nothing but the arguments decides on. */
function noise(index: number, tick: number, axis: number): number {
  let hash = Math.imul(8 * index + axis + 1, 0x9e3779b1) ^ Math.imul(tick + 1, 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 15), 0xc2b2ae35);
  return ((hash ^ (hash >>> 13)) >>> 0) / 2 ** 31 - 1;
}

/**
 * Returns where a cell is at this moment, in every process of this machine. It turns all the time, so that a
 * player who misses states is shown it elsewhere, and it shakes, so that states cannot be predicted.
 */
export function cellAt(
  index: number,
  nowMs = performance.timeOrigin + performance.now(),
): Readonly<Record<"x" | "y" | "vx" | "vy" | "aimX" | "aimY", number>> {
  const seconds = (nowMs % 1e7) / 1000;
  const tick = Math.floor((nowMs % 1e7) / CELL_TICK_MS);
  const [rateA, rateB] = [0.5 + 0.1 * (index % 5), 0.9 + 0.1 * (index % 3)];
  const [a, b] = [rateA * seconds + index, rateB * seconds + index];
  return {
    x: 60 * Math.cos(a) + 30 * Math.sin(b) + NOISE_M * noise(index, tick, 0),
    y: 60 * Math.sin(a) + 30 * Math.cos(b) + NOISE_M * noise(index, tick, 1),
    vx: -60 * rateA * Math.sin(a) + 30 * rateB * Math.cos(b) + NOISE_MPS * noise(index, tick, 2),
    vy: 60 * rateA * Math.cos(a) - 30 * rateB * Math.sin(b) + NOISE_MPS * noise(index, tick, 3),
    aimX: noise(index, tick, 4),
    aimY: noise(index, tick, 5),
  };
}
