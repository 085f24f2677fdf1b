import { defineEntity, vec2, type Room } from "@paceline/client";
import { expect, test } from "vitest";
import { Stage } from "./stage.js";
import { until } from "./until.js";

const stage = new Stage();
const fields = {
  position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
  velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
};

async function meetAt(definition: ReturnType<typeof defineEntity<typeof fields>>) {
  const server = await stage.server();
  const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
  const errors = new Map<Room, string[]>([a, b].map((room) => [room, []]));
  for (const room of [a, b]) room.onError(({ code }) => errors.get(room)!.push(code));
  const own = a.spawn(definition, { position: { x: 5, y: 6 } });
  const seen = () => [...b.entities(definition)].filter((each) => !each.isMine);
  await until("b sees it", () => seen().length === 1);
  return { a, b, own, errors, seen: seen()[0]! };
}

test("a model that throws is an error at owner and receivers; the entity holds, the room goes on", async () => {
  const definition = defineEntity("ghost", fields, {
    step: () => {
      throw new Error("no road");
    },
  });
  const { a, b, own, errors, seen } = await meetAt(definition);
  await until("b was told", () => {
    expect({ ...seen.shown.position }).toMatchObject({ x: 5, y: 6 });
    return errors.get(b)!.length > 0;
  });
  await until("a was told", () => errors.get(a)!.length > 0);
  expect([errors.get(a), errors.get(b)]).toEqual([["motion/fault"], ["motion/fault"]]);
  own.position.set(7, 8);
  await until("b has the news", () => seen.position.x === 7);
  expect([a.state, b.state]).toEqual(["joined", "joined"]);
});

test("a game's own model extrapolates an entity at its receivers", async () => {
  const definition = defineEntity("cart", fields, {
    step: (cart, seconds) => {
      cart.position.x += 20 * seconds;
    },
  });
  const { seen } = await meetAt(definition);
  // The owner keeps sending 5. Only the receiver's model moves the entity further.
  await until("the model moves it on", () => seen.shown.position.x > 5.2);
  expect(seen.position.x).toBe(5);
});
