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
const ROUNDS = 9;
/** Less than the smallest object takes. */
const NOTHING_BYTES = 8;

/** Bytes that one call takes of the heap: the least of several rounds, since code is compiled meanwhile. */
function bytesPerCall(call: () => void): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const rounds: number[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    collect();
    const before = process.memoryUsage().heapUsed;
    for (let write = 0; write < WRITES; write++) call();
    rounds.push((process.memoryUsage().heapUsed - before) / WRITES);
  }
  return Math.min(...rounds);
}

test("a game that writes a position or a direction of its entity makes no object by it", async () => {
  const room = await new VirtualHub({ delayMs: 5 }, { startMs: 5000 }).join();
  const body = room.spawn(Body);
  // That the measure sees objects: each call makes some.
  expect(bytesPerCall(() => body.onChange("heading", () => undefined)())).toBeGreaterThan(40);
  expect(bytesPerCall(() => body.position.set(1.5, 2.5))).toBeLessThan(NOTHING_BYTES);
  expect(bytesPerCall(() => body.place.set(1.5, 2.5, 3.5))).toBeLessThan(NOTHING_BYTES);
  expect(bytesPerCall(() => (body.heading = 0.5))).toBeLessThan(NOTHING_BYTES);
  expect(body.position).toEqual({ x: 1.5, y: 2.5 });
  expect(body.place).toEqual({ x: 1.5, y: 2.5, z: 3.5 });
  room.leave();
});
