import { ConfigError } from "@paceline/client";
import { expect, test } from "vitest";
import { Stage } from "./stage.js";
import { until } from "./until.js";

const stage = new Stage();

test("a room's links can be made worse and restored, and no message is lost", async () => {
  const server = await stage.server();
  const [one, other] = await stage.meet(server, 2);
  const heard: unknown[] = [];
  other!.onMessage("count", (message) => heard.push(message));
  const count = (from: number): void => {
    for (let number = from; number < from + 50; number += 1) one!.send("count", number);
  };
  await until("measured", () => one!.peers[0]?.rttMs !== undefined);
  count(0);
  await one!.transport.simulate({ delayMs: 100, jitterMs: 20, loss: { kind: "uniform", ratio: 0.05 } });
  expect(one!.transport.simulated).toMatchObject({ delayMs: 100 });
  count(50);
  await until("the delay shows", () => one!.peers[0]!.rttMs! > 100);
  await one!.transport.simulate(undefined);
  count(100);
  await until("all have come", () => heard.length >= 150);
  expect(heard).toEqual(Array.from({ length: 150 }, (_, number) => number));
  expect(one!.transport.history.map(({ about }) => about)).toContain("simulated network");
});

test("a later link is simulated too", async () => {
  const server = await stage.server();
  const [one] = await stage.meet(server, 2);
  await one!.transport.simulate({ delayMs: 60 });
  const isBack = new Promise((resolve) => one!.onReconnect(resolve));
  server.cutLinks();
  await isBack;
  await until("the delay shows", () => one!.peers[0]?.rttMs !== undefined && one!.peers[0].rttMs > 50);
  expect(one!.peers[0]!.rttMs).toBeGreaterThan(50);
});

test("a setting out of range is refused and changes nothing; the last of several calls counts", async () => {
  const server = await stage.server();
  const room = await stage.join(server);
  await expect(room.transport.simulate({ delayMs: -1 })).rejects.toThrow(ConfigError);
  expect(room.transport.simulated).toBeUndefined();
  await Promise.all([room.transport.simulate({ delayMs: 10 }), room.transport.simulate(undefined)]);
  expect(room.transport.simulated).toBeUndefined();
});
