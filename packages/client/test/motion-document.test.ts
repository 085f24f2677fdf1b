import { readFileSync } from "node:fs";
import * as lockstep from "@paceline/client/lockstep";
import { angle, defineEntity, scalar, vec2 } from "@paceline/client";
import { expect, test } from "vitest";

const document = readFileSync(new URL("../../../docs/MOTION.md", import.meta.url), "utf8");

test("the entry of lockstep has what the document names, and nothing else", () => {
  const [, named] = /`@paceline\/client\/lockstep` has ([^]*?), apart from/.exec(document) ?? [];
  const names = [...(named ?? "").matchAll(/`(\w+)`/g)].map(([, name]) => name);
  expect(names.length).toBeGreaterThan(1);
  expect(Object.keys(lockstep).sort()).toEqual(names.sort());
});

test("the document's examples work", () => {
  const Car = defineEntity(
    "car",
    {
      position: vec2({ range: [-2048, 2048], precision: 0.01, unit: "m" }),
      velocity: vec2({ range: [-120, 120], precision: 0.01, unit: "m/s" }),
      heading: angle({ precision: 0.002, unit: "rad" }),
    },
    { motion: "turn", threshold: { position: 0.1, heading: 0.035 } },
  );
  expect(Car.motionLayout?.acceleration).toBe(5);
  const Cart = defineEntity(
    "cart",
    {
      position: vec2({ range: [-100, 100], precision: 0.01, unit: "m" }),
      velocity: vec2({ range: [-20, 20], precision: 0.01, unit: "m/s" }),
      throttle: scalar({ range: [-1, 1], precision: 0.01 }),
    },
    {
      motion: "step",
      step: (cart, seconds) => {
        cart.velocity.x += 5 * cart.throttle * seconds;
        cart.position.x += cart.velocity.x * seconds;
      },
    },
  );
  expect(Cart.components).toHaveLength(5);
});
