import { expect, it } from "vitest";
import { VirtualRegistry } from "./virtual-registry.js";

/** Returns the best time of many runs, which excludes other load on the machine, ms. */
function bestMs(work: () => void): number {
  const times = Array.from({ length: 30 }, () => {
    const startMs = performance.now();
    for (let count = 0; count < 100; count++) work();
    return performance.now() - startMs;
  });
  return Math.min(...times);
}

it("drops are summed up without a walk over all sessions", () => {
  const [few, many] = [new VirtualRegistry(), new VirtualRegistry()];
  few.join();
  for (let count = 0; count < 300; count++) {
    const { player } = many.join();
    if (count < 3) player.tell({ type: "signal", to: 99, attempt: 0, data: {} });
  }
  many.scheduler.advance(100);
  expect(many.registry.drops.toRecord()).toEqual({ "not-routable": 3 });
  expect(bestMs(() => many.registry.drops.toRecord())).toBeLessThan(
    10 * bestMs(() => few.registry.drops.toRecord()) + 0.5,
  );
});
