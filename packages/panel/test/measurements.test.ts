import { defineEntity, enumOf, scalar, vec2, type Entity } from "@paceline/client";
import type { Link } from "@paceline/transport";
import { describe, expect, test } from "vitest";
import { FieldShares } from "../src/field-shares.js";
import { ShownError } from "../src/shown-error.js";
import { TrafficMeter } from "../src/traffic.js";
import { Stage } from "../../client/test/stage.js";
import { until } from "../../client/test/until.js";

const stage = new Stage();
const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-1000, 1000], precision: 0.01 }),
    fuel: scalar({ range: [0, 100], precision: 1 }),
    gear: enumOf(["low", "high"]),
  },
  { motion: "velocity" },
);

/** Returns every link of a room. The links count their own bytes. */
function linksOf(room: { transport: { onLink(listener: (link: Link) => void): () => void } }): Link[] {
  const links: Link[] = [];
  room.transport.onLink((link) => links.push(link));
  return links;
}

describe("the panel's meter of traffic", () => {
  test("counts the same bytes as the links, by class", async () => {
    const server = await stage.server();
    const [ada, bob] = await stage.meet(server, 2);
    if (!ada || !bob) throw new Error("nobody met");
    const links = linksOf(ada);
    const sum = (name: "bytesSent" | "bytesReceived"): number =>
      links.reduce((total, { counters }) => total + counters[name], 0);
    const [sent, received] = [sum("bytesSent"), sum("bytesReceived")];
    const meter = new TrafficMeter(ada);
    let heard = 0;
    ada.onMessage("horn", () => (heard += 1));
    bob.onMessage("chat", () => (heard += 1));
    const car = ada.spawn(Car);
    car.position.set(3, 4);
    ada.send("chat", { text: "hello" });
    bob.send("horn", {});
    await until("both have heard", () => {
      // An event may be lost.
      if (meter.out.byClass.events === 0) ada.sendEvent("wave", {});
      return heard === 2 && meter.out.byClass.events > 0;
    });
    await until("a ping went both ways", () => meter.takeRoundTrips().some(({ rttMs }) => rttMs > 0));
    expect(meter.out.bytes).toBe(sum("bytesSent") - sent);
    expect(meter.in.bytes).toBe(sum("bytesReceived") - received);
    const { byClass, byType } = meter.out;
    expect(Object.values(byClass).reduce((total, bytes) => total + bytes)).toBe(meter.out.bytes);
    expect(byClass.states).toBeGreaterThan(0);
    expect(byType.get("chat")).toBeGreaterThan(10);
    expect(byType.get("wave")).toBe(byClass.events);
    expect(meter.in.byType.has("horn")).toBe(true);
    meter.stop();
    const before = meter.out.bytes;
    ada.send("chat", { text: "unseen" });
    await until("the last one is heard", () => heard === 3);
    expect(meter.out.bytes).toBe(before);
    expect(links.every(({ filters }) => filters?.length === 0)).toBe(true);
  });

  test("counts links that are opened later", async () => {
    const server = await stage.server();
    const room = await stage.join(server);
    const meter = new TrafficMeter(room);
    const port = server.port;
    await server.stop();
    await until("the link is lost", () => room.state !== "joined");
    const before = meter.in.bytes;
    await stage.server({}, port);
    await until("the room is joined again", () => room.state === "joined");
    expect(meter.in.bytes).toBeGreaterThan(before);
    meter.stop();
  });
});

/** A car of another player, with its received state and its shown position. */
function remoteCar(at: {
  nowMs: number;
  shownX: number;
  stateX: number;
  ageMs: number;
  tick: number;
}): Entity {
  return {
    isMine: false,
    get shown() {
      return { position: { x: at.shownX, y: 0 } };
    },
    get position() {
      return { x: at.stateX, y: 0 };
    },
    get lastTick() {
      return at.tick;
    },
    get ageMs() {
      return at.ageMs;
    },
  } as unknown as Entity;
}

describe("the shown error", () => {
  test("is the distance between a state and the position that was shown at its moment", () => {
    const at = { nowMs: 0, shownX: 0, stateX: 0, ageMs: 0, tick: 1 };
    const car = remoteCar(at);
    const error = new ShownError({
      kinds: [Car],
      entities: () => [car],
      nowMs: () => at.nowMs,
    } as unknown as ConstructorParameters<typeof ShownError>[0]);
    for (; at.nowMs <= 200; at.nowMs += 20) {
      at.shownX = at.nowMs / 100;
      error.observe();
    }
    expect(error.take()).toEqual([]);
    // The state says 1.2 m at 110 ms. At that moment the car was shown at 1.1 m.
    Object.assign(at, { stateX: 1.2, ageMs: at.nowMs - 110, tick: 2 });
    error.observe();
    expect(error.take()).toEqual([expect.closeTo(0.1, 6)]);
    // No error is known for a moment before the first shown position.
    Object.assign(at, { ageMs: 10_000, tick: 3 });
    error.observe();
    expect(error.take()).toEqual([]);
  });
});

describe("the shares of fields", () => {
  test("follow the changes, counted in steps of the precision", async () => {
    const server = await stage.server();
    const room = await stage.join(server);
    const car = room.spawn(Car, { fuel: 50 });
    const shares = new FieldShares(room);
    shares.observe();
    car.position.set(5, 0);
    shares.observe();
    const [kind] = shares.shares();
    const shareOf = (name: string): number => kind?.fields.find((field) => field.name === name)?.share ?? 0;
    expect(kind?.share).toBe(1);
    expect(shareOf("position")).toBe(1);
    car.gear = "high";
    shares.observe();
    expect(shares.shares()[0]?.fields.find(({ name }) => name === "gear")?.share).toBeGreaterThan(0);
    expect(shares.shares()[0]?.fields.find(({ name }) => name === "fuel")?.share).toBe(0);
  });
});
