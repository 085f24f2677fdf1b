import type { NetworkSettings, Random } from "@paceline/transport/simulated";

export const GOOD_LINE = { delayMs: 20, jitterMs: 0, rateBps: Infinity, loss: { kind: "none" } } as const;

/** Returns a line that is slow, narrow or lossy at random. It carries `leastRate` kB/s at least. */
export function badLine(random: Random, leastRate: number): Partial<NetworkSettings> {
  return {
    delayMs: random.int(1, 300),
    jitterMs: random.int(0, 60),
    rateBps: random.bool(0.5) ? random.int(leastRate, 400) * 1000 : Infinity,
    loss: { kind: "uniform", ratio: random.bool(0.5) ? 0 : random.next() / 5 },
  };
}
