import { defineEntity, flag, vec2, type Directed } from "@paceline/client";

/** Edge of the world, m. */
export const WORLD_M = 1000;
export const WORLD_TICK_HZ = 10;
/** Walkers that the server moves. */
export const WORLD_BOTS = 500;
/** Name of the room in which everybody gets everything. */
export const WHOLE_WORLD = "world-whole";

export const schemes = ["squares", "hexagons", "quadtree"] as const;
export const radiiM = [60, 90, 120, 180, 240] as const;
export const ringCounts = [1, 2, 3] as const;

/** A visitor's choice: how far it sees, in how many rings of detail, and how the ground is divided. */
export interface WorldChoice {
  readonly scheme: (typeof schemes)[number];
  readonly radiusM: (typeof radiiM)[number];
  readonly rings: (typeof ringCounts)[number];
}

export const Walker = defineEntity(
  "walker",
  { position: vec2({ range: [0, WORLD_M], precision: 0.05, unit: "m" }), isVisitor: flag() },
  { motion: "velocity", show: "extrapolate" },
);

export interface WorldTypes {
  options: { x?: number; y?: number };
  messages: { walk: Directed<{ x: number; y: number }> };
}

export interface Ring {
  readonly radiusM: number;
  readonly everyTicks: number;
  readonly thresholdM?: number;
}

/** The nearest ring at every step of the room, the next at every second one, the last at every fourth. */
export function ringsOf({ radiusM, rings }: WorldChoice): Ring[] {
  return Array.from({ length: rings }, (_, ring) => ({
    radiusM: (radiusM * (ring + 1)) / rings,
    everyTicks: 2 ** ring,
    ...(ring > 0 && { thresholdM: 0.2 * 2 ** ring }),
  }));
}

export function roomNameOf({ scheme, radiusM, rings }: WorldChoice): string {
  return `world-${scheme}-${radiusM}-${rings}`;
}

export function allChoices(): WorldChoice[] {
  return schemes.flatMap((scheme) =>
    radiiM.flatMap((radiusM) => ringCounts.map((rings) => ({ scheme, radiusM, rings }))),
  );
}
