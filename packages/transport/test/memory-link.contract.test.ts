import {
  linkContract,
  memoryLinkPair,
  seededRandom,
  VirtualScheduler,
  type LinkPair,
} from "@paceline/testkit";
import { describe, expect, test } from "vitest";

function pairOf(isUnreliable: boolean): LinkPair {
  const scheduler = new VirtualScheduler();
  const settings = { delayMs: 20, jitterMs: 3 };
  const { a, b, change } = memoryLinkPair({ scheduler, random: seededRandom(1), settings, isUnreliable });
  return {
    a,
    b,
    pass: async (ms) => scheduler.advance(ms),
    congest: (isSlow) => change({ rateBps: isSlow ? 64_000 : Number.POSITIVE_INFINITY }),
    dispose: async () => undefined,
  };
}

describe.each([
  ["a lossy memory link", true],
  ["an ordered memory link", false],
])("%s", (_, isUnreliable) => {
  test.each(linkContract.map((rule) => [rule.title, rule] as const))("%s", async (_title, rule) => {
    await expect(rule.run(pairOf(isUnreliable))).resolves.toBeUndefined();
  });
});
