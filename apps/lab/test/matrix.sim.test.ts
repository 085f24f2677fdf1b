import { describe, expect, test } from "vitest";
import { matrixCases } from "../src/matrix/cases.js";
import { simulateCase } from "../src/matrix/simulated-case.js";

/** Time until the SDK abandons a dead path. A ping period and a round trip later another path carries on. */
const DEADLINE_MS = 1000;

describe("the networks that it must survive, simulated", () => {
  test.each(matrixCases.map((each) => [each.name, each] as const))("%s", (_, matrixCase) => {
    const row = simulateCase(matrixCase);
    const { trouble, best, rttMs } = matrixCase;
    expect(row.path).toBe(trouble?.kind === "udp-dies" ? "relay" : best);
    expect(row.reliableSent).toBeGreaterThan(500);
    expect([row.lost, row.repeated, row.outOfOrder]).toEqual([0, 0, 0]);
    expect(row.bestPathMs !== undefined).toBe(best === "direct");
    const downMs = trouble?.kind === "cut" ? trouble.forMs : 0;
    expect(row.longestGapMs - downMs).toBeLessThan(DEADLINE_MS + 500 + 4 * rttMs);
    expect(row.migrations).toBeGreaterThanOrEqual(trouble?.kind === "migrations" ? trouble.count : 1);
  });
});
