import {
  linkContract,
  memoryLinkPair,
  seededRandom,
  VirtualScheduler,
  type LinkPair,
  type MemoryLink,
} from "@paceline/testkit";
import { StripeFilter } from "@paceline/transport";
import { describe, expect, test } from "vitest";

function pairOf(isUnreliable: boolean): LinkPair {
  const scheduler = new VirtualScheduler();
  const settings = { delayMs: 20, jitterMs: 3 };
  const { a, b, change } = memoryLinkPair({ scheduler, random: seededRandom(1), settings, isUnreliable });
  return {
    a,
    b,
    scheduler,
    pass: async (ms) => scheduler.advance(ms),
    congest: (isSlow) => change({ rateBps: isSlow ? 64_000 : Number.POSITIVE_INFINITY }),
    dispose: async () => undefined,
  };
}

/** Three ordered links that act as one. */
function stripedPair(): LinkPair {
  const scheduler = new VirtualScheduler();
  const settings = { delayMs: 20, jitterMs: 3 };
  const pairs = [1, 2, 3].map((seed) =>
    memoryLinkPair({ scheduler, random: seededRandom(seed), settings, isUnreliable: false }),
  );
  const striped = (end: "a" | "b"): MemoryLink => {
    const [first, ...others] = pairs.map((pair) => pair[end]);
    const stripes = new StripeFilter({ scheduler, first: first! });
    for (const other of others) stripes.add(other);
    return first!;
  };
  return {
    a: striped("a"),
    b: striped("b"),
    scheduler,
    pass: async (ms) => scheduler.advance(ms),
    congest: (isSlow) =>
      pairs.forEach((pair) => pair.change({ rateBps: isSlow ? 64_000 : Number.POSITIVE_INFINITY })),
    dispose: async () => undefined,
  };
}

describe("a striped link", () => {
  test.each(linkContract.map((rule) => [rule.title, rule] as const))("%s", async (_title, rule) => {
    await expect(rule.run(stripedPair())).resolves.toBeUndefined();
  });
});

describe.each([
  ["a lossy memory link", true],
  ["an ordered memory link", false],
])("%s", (_, isUnreliable) => {
  test.each(linkContract.map((rule) => [rule.title, rule] as const))("%s", async (_title, rule) => {
    await expect(rule.run(pairOf(isUnreliable))).resolves.toBeUndefined();
  });
});
