import { defineEntity, vec2 } from "@paceline/client";

/** Kind of room in which many walk. */
export const WORLD = "world";
/** Edge of the world, m. */
export const WORLD_M = 1000;

/** Somebody who walks through the world. Its page, or its bot, says where it is. */
export const WorldWalker = defineEntity(
  "world-walker",
  { position: vec2({ range: [0, WORLD_M], precision: 0.05, unit: "m" }) },
  // Sent when it is written, and once in 10 s.
  { motion: "hold", threshold: { position: 0.05 }, heartbeatMs: 10_000 },
);
