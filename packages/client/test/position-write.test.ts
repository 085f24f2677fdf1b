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
/** The engine compiles a call that is made often in a thread of its own: on a busy machine that takes a while. */
const MAX_ROUNDS = 200;
const FIRST_ROUNDS = 9;
/** Less than the smallest object takes. */
const NOTHING_BYTES = 8;

/** Bytes that one call takes of the heap: the least of several rounds, since code is compiled meanwhile. */
async function bytesPerCall(call: () => void): Promise<number> {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let least = Number.POSITIVE_INFINITY;
  for (let round = 0; round < MAX_ROUNDS && least >= NOTHING_BYTES; round++) {
    // Compiled code is taken over between two turns.
    if (round >= FIRST_ROUNDS) await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let write = 0; write < WRITES; write++) call();
    least = Math.min(least, (process.memoryUsage().heapUsed - before) / WRITES);
  }
  return least;
}

test("a game that writes a position or a direction of its entity makes no object by it", async () => {
  const room = await new VirtualHub({ delayMs: 5 }, { startMs: 5000 }).join();
  const body = room.spawn(Body);
  // That the measure sees objects: each call makes some.
  expect(await bytesPerCall(() => body.onChange("heading", () => undefined)())).toBeGreaterThan(40);
  expect(await bytesPerCall(() => body.position.set(1.5, 2.5))).toBeLessThan(NOTHING_BYTES);
  expect(await bytesPerCall(() => body.place.set(1.5, 2.5, 3.5))).toBeLessThan(NOTHING_BYTES);
  expect(await bytesPerCall(() => (body.heading = 0.5))).toBeLessThan(NOTHING_BYTES);
  expect(body.position).toEqual({ x: 1.5, y: 2.5 });
  expect(body.place).toEqual({ x: 1.5, y: 2.5, z: 3.5 });
  room.leave();
});
