import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { Interest } from "../src/interest/interest.js";
import type { InterestOptions } from "../src/interest/interest-options.js";
import { WORLD } from "./interest-world.js";

const ENTITIES = 200;
const VIEWERS = 20;
const UPDATES = 200;
const MAX_ROUNDS = 60;
/** Enough updates for the engine to compile what they call. */
const WARM_UP_UPDATES = 2000;
/**
 * Less than an array of two numbers for each viewer, which takes 64 bytes. The engine keeps some numbers with decimals on
 * the heap while it has not compiled their function into its callers. Whether it ever does depends on the machine and on
 * what else runs: an update then takes 8 or 40 bytes for each viewer, for as long as the test runs, and else none.
 */
const NOTHING_BYTES = 48 * VIEWERS;

/** Returns a function that moves everybody through the world for a tick, and asks what each viewer sees. */
function walk(options: InterestOptions): () => void {
  let changes = 0;
  const count = () => {
    changes += 1;
  };
  const interest = new Interest(options, { world: WORLD, tickHz: 20, onMoved: count, onView: count });
  const viewers = Array.from({ length: VIEWERS }, (_, id) => interest.addViewer(id));
  for (let id = 0; id < ENTITIES; id++) interest.place(id, 0, 50);
  for (const [id, viewer] of viewers.entries()) viewer.follow(id);
  const ids = new Uint32Array(ENTITIES);
  const levels = new Uint8Array(ENTITIES);
  const due = new Uint16Array(ENTITIES);
  let tick = 0;
  return () => {
    tick = (tick + 1) % 1000;
    for (let id = 0; id < ENTITIES; id++) {
      const angle = (tick / 1000) * 2 * Math.PI * (1 + (id % 3)) + id;
      interest.move(id, 90 * Math.cos(angle), 50 + 90 * Math.sin(angle));
    }
    interest.update(tick);
    for (const viewer of viewers) {
      viewer.spent(interest.query(viewer, ids, levels));
      viewer.list?.due(tick, due);
    }
  };
}

/** Returns the least mean of heap bytes per call in several rounds, because the engine compiles code meanwhile. */
async function leastBytesPerCall(call: () => void, rounds: number): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  for (let each = 0; each < WARM_UP_UPDATES; each++) call();
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < rounds && least >= NOTHING_BYTES; round++) {
    await new Promise((resolve) => setTimeout(resolve, 10));
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let each = 0; each < UPDATES; each++) call();
    least = Math.min(least, (process.memoryUsage().heapUsed - before) / UPDATES);
  }
  return least;
}

test.each([
  ["whole cells", {}],
  ["lists of their own", { relevant: (viewer: number, entity: number) => (viewer + entity) % 7 > 0 }],
  ["the best of a crowd", { relevant: () => true, maxEntities: 10 }],
])("an update allocates nothing for viewers who see %s", async (_, options) => {
  const step = walk({ radiusM: 40, ...options });
  const made: object[] = [];
  const wasteful = (): void => {
    step();
    for (let viewer = 0; viewer < VIEWERS; viewer++) made[viewer] = [1.5, 2.5];
  };
  expect(await leastBytesPerCall(step, MAX_ROUNDS)).toBeLessThan(NOTHING_BYTES);
  // Proves that the measurement sees objects.
  expect(await leastBytesPerCall(wasteful, 3)).toBeGreaterThan(NOTHING_BYTES);
});
