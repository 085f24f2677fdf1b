import {
  linkContract,
  memoryLinkPair,
  seededRandom,
  VirtualScheduler,
  type LinkPair,
} from "@paceline/testkit";
import { SimulatedLine } from "@paceline/transport/simulated";
import { describe, expect, test } from "vitest";

function pairOf(isUnreliable: boolean, isSimulated: boolean): LinkPair {
  const scheduler = new VirtualScheduler();
  const random = seededRandom(1);
  const bare = memoryLinkPair({ scheduler, random, settings: { delayMs: 5 }, isUnreliable });
  const line = new SimulatedLine({ scheduler, random });
  const { a } = bare;
  line.change({ delayMs: 20 });
  if (isSimulated) line.take(a);
  return {
    a,
    b: bare.b,
    scheduler,
    pass: async (ms) => scheduler.advance(ms),
    ...(isSimulated && {
      congest: (isSlow: boolean) => line.change({ delayMs: 20, rateBps: isSlow ? 64_000 : Infinity }),
    }),
    dispose: async () => undefined,
  };
}

describe.each([
  ["a lossy link with nothing in between", true, false],
  ["a lossy link through a simulated line", true, true],
  ["an ordered link through a simulated line", false, true],
])("%s", (_, isUnreliable, isSimulated) => {
  const rules = linkContract.filter(({ needs }) => isSimulated || needs !== "congest");
  test.each(rules.map((rule) => [rule.title, rule] as const))("%s", async (_title, rule) => {
    await expect(rule.run(pairOf(isUnreliable, isSimulated))).resolves.toBeUndefined();
  });
});
