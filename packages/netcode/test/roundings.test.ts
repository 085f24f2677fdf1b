import { defineEntity, flag, scalar, vec2 } from "@paceline/protocol";
import { expect, test } from "vitest";
import { roundingsOf } from "../src/index.js";

test("a flag has no rounding: half a step would accept a wrong prediction", () => {
  const definition = defineEntity("car", {
    position: vec2({ range: [-100, 100], precision: 0.01 }),
    throttle: scalar({ range: [-1, 1], precision: 0.5 }),
    isHeld: flag(),
  });
  const roundings = roundingsOf(definition);
  expect(roundings[definition.offsets["isHeld"]!]).toBe(0);
  expect(roundings[definition.offsets["throttle"]!]).toBeCloseTo(0.25, 4);
});
