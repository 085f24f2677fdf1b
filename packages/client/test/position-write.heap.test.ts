import { angle, defineEntity, vec2, vec3 } from "@paceline/client";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { VirtualHub } from "./virtual-hub.js";

const Body = defineEntity("body", {
  position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
  place: vec3({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
  heading: angle({ precision: 0.001, unit: "rad" }),
});

const WRITES = 500;
/** Enough calls for the engine to compile the function. */
const WARM_UP_WRITES = 20_000;
const MAX_ROUNDS = 60;
/** Less than the size of the smallest object. */
const NOTHING_BYTES = 8;

/** Returns the mean heap bytes per call in a round. */
function bytesPerCall(call: () => void): number {
  setFlagsFromString("--expose-gc");
  (runInNewContext("gc") as () => void)();
  const before = process.memoryUsage().heapUsed;
  for (let write = 0; write < WRITES; write++) call();
  return (process.memoryUsage().heapUsed - before) / WRITES;
}

/** Returns the least of several rounds, because the engine compiles code meanwhile. */
async function leastBytesPerCall(call: () => void): Promise<number> {
  for (let write = 0; write < WARM_UP_WRITES; write++) call();
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MAX_ROUNDS && least >= NOTHING_BYTES; round++) {
    // A thread of the engine compiles frequent functions. Its results apply between two turns of the event
    // loop.
    await new Promise((resolve) => setTimeout(resolve, 10));
    for (let write = 0; write < WRITES; write++) call();
    least = Math.min(least, bytesPerCall(call));
  }
  return least;
}

test("a game that writes a position or a direction of its entity allocates no object", async () => {
  const room = await new VirtualHub({ delayMs: 5 }, { startMs: 5000 }).join();
  const body = room.spawn(Body);
  const made: object[] = [];
  // Proves that the measurement sees objects: each call makes one.
  expect(bytesPerCall(() => (made[0] = [1.5, 2.5]))).toBeGreaterThan(NOTHING_BYTES);
  expect(await leastBytesPerCall(() => body.position.set(1.5, 2.5))).toBeLessThan(NOTHING_BYTES);
  expect(await leastBytesPerCall(() => body.place.set(1.5, 2.5, 3.5))).toBeLessThan(NOTHING_BYTES);
  expect(await leastBytesPerCall(() => (body.heading = 0.5))).toBeLessThan(NOTHING_BYTES);
  expect(body.position).toEqual({ x: 1.5, y: 2.5 });
  expect(body.place).toEqual({ x: 1.5, y: 2.5, z: 3.5 });
  room.leave();
});
