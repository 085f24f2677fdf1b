import { CloseCode, PayloadKind, limits } from "@paceline/protocol";
import type { RelayLimits } from "@paceline/relay";
import { seededRandom } from "@paceline/testkit";
import type { Entity, NetError, Room } from "@paceline/client";
import { describe, expect, test, vi } from "vitest";
import { Car } from "./definitions.js";
import { RawPeer } from "./raw-peer.js";
import { RawStates } from "./raw-states.js";
import { Stage } from "./stage.js";
import { until } from "./until.js";

const stage = new Stage();

/** Values in order: position, heading, fuel, braking; velocity and turn rate. */
const goodState = [1, 2, 0.5, 0.5, 1, 0, 0, 0];

/** Announces a stream of cars, and sends its first car. */
function beginCars(raw: RawPeer, to: number): RawStates {
  const states = new RawStates(Car);
  raw.send(to, states.announcement());
  raw.send(to, states.reference(100, [0, ...goodState]));
  return states;
}

/** Makes a room with two honest games, and with one participant that may break the protocol. */
async function scene(limits: Partial<RelayLimits> = {}): Promise<{
  a: Room;
  b: Room;
  raw: RawPeer;
  cars(): Entity<typeof Car>[];
}> {
  const server = await stage.server({ limits });
  const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
  const raw = await RawPeer.join(server);
  const cars = () => [...a.entities(Car)].filter((car) => !car.isMine);
  expect(cars()).toEqual([]);
  await until("everyone sees everyone", () => a.peers.length === 2 && b.peers.length === 2);
  return { a, b, raw, cars };
}

/** Checks that the two games still exchange messages. */
async function expectUndisturbed(a: Room, b: Room): Promise<void> {
  b.onRequest("alive", (message) => message);
  const peer = a.peers.find(({ number }) => number === b.myNumber);
  expect(await a.request("alive", "yes", peer)).toBe("yes");
  expect([a.state, b.state]).toEqual(["joined", "joined"]);
}

describe("input from a peer", () => {
  test("is shown if it keeps the rules", async () => {
    const { a, raw, cars } = await scene();
    const states = beginCars(raw, a.myNumber);
    raw.sendState(a.myNumber, states.body(101, [0, 3, 4, 0.25, 0.75, 0, 0, 0, 0]), 101);
    await until("its car has moved", () => cars()[0]?.position.x === 3);
    expect(cars()[0]).toMatchObject({ fuel: 0.75, braking: false, lastTick: 101 });
    expect(a.drops.total).toBe(0);
    raw.leave();
  });

  test("[WF13] is answered no more often than a participant may ask, so that answers do not flood the server", async () => {
    const { a, b, raw } = await scene();
    for (let id = 1; id <= 6 * limits.requestsPerSecond; id++) {
      raw.send(a.myNumber, { kind: "request", id, type: "anything", message: id });
    }
    const dropped = () => a.peers.find(({ number }) => number === raw.number)?.drops["rate-limit"] ?? 0;
    await until("most of it is dropped", () => dropped() >= 3 * limits.requestsPerSecond);
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("is dropped and counted if it makes no sense, and never shown", async () => {
    const { a, b, raw, cars } = await scene();
    const states = beginCars(raw, a.myNumber);
    await until("its car is there", () => cars().length === 1);
    const body = states.body(101, [0, ...goodState.with(3, 1)]);
    const bad = [Uint8Array.of(...body, ...new Uint8Array(9)), new Uint8Array(0), Uint8Array.of(200, 1, 2)];
    for (const [index, bytes] of bad.entries()) raw.sendState(a.myNumber, bytes, 101 + index);
    await until("all are dropped", () => a.drops.total === bad.length);
    expect(a.drops.toRecord()).toEqual({ length: 2, "unknown-entity": 1 });
    expect(cars()[0]).toMatchObject({ fuel: 0.5, lastTick: 100 });
    expect(cars()[0]!.heading).toBeCloseTo(0.5, 3);
    // A bad message does not discard a good one.
    raw.sendState(a.myNumber, body, 101);
    await until("a good one is taken", () => cars()[0]!.fuel === 1);
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("changes nothing with states of the past, near or far", async () => {
    const { a, b, raw, cars } = await scene();
    const states = beginCars(raw, a.myNumber);
    await until("its car is there", () => cars().length === 1);
    raw.sendState(a.myNumber, states.body(110, [0, ...goodState.with(3, 0.25)]), 110);
    await until("it is told of", () => cars()[0]!.lastTick === 110);
    // Ticks that are too far away to unwrap the 16 bits of the stamp, and ticks older than the known state.
    const wrong = [-32_000, -20_000, 20_000, 32_000, -5000, -200, -1].map((ticks) => (110 + ticks) >>> 0);
    for (const tick of wrong) {
      const other = new RawStates(Car);
      raw.sendState(a.myNumber, other.body(tick, [0, ...goodState.with(3, 0.75)]), tick);
    }
    // Older states are ignored without a count. The packet after them is counted.
    raw.sendState(a.myNumber, new Uint8Array(0), 110);
    await until("all have come", () => a.drops.of("length") === 1);
    expect(cars()[0]).toMatchObject({ fuel: 0.25, lastTick: 110 });
    raw.sendState(a.myNumber, states.body(111, [0, ...goodState.with(3, 1)]), 111);
    await until("the next one is taken", () => cars()[0]!.fuel === 1);
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("spawns nothing from invalid streams", async () => {
    const { a, b, raw, cars } = await scene();
    const states = new RawStates(Car, 3);
    raw.send(a.myNumber, new RawStates(Car, 1).announcement({ schemaHash: 1 }));
    for (const columns of [Uint8Array.of(0, 0x81, 0x80, 0x80), Uint8Array.of(0, 0)])
      raw.send(a.myNumber, { kind: "columns", stream: 1, columns });
    raw.send(a.myNumber, new RawStates(Car, 2).announcement({ name: "toString" }));
    raw.send(a.myNumber, states.announcement());
    raw.send(a.myNumber, states.announcement());
    raw.send(a.myNumber, { kind: "resync", stream: 77, entities: [1] });
    raw.send(a.myNumber, { kind: "columns", stream: 77, columns: new Uint8Array(0) });
    raw.send(a.myNumber, states.removal(99, 77));
    raw.send(a.myNumber, states.reference(100, [6, ...goodState]));
    await until("the good one is there", () => cars().length === 1);
    // There is one more drop if the code that reads columns was loaded before the stream was replaced.
    expect(Object.keys(a.drops.toRecord())).toEqual(["bad-message"]);
    expect(a.drops.of("bad-message")).toBeGreaterThanOrEqual(2);
    expect(cars()[0]!.id).toBe(raw.number * 0x10000 + 6);
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("reaches the game only as data, whatever it is", async () => {
    const { a, b, raw } = await scene();
    const names: unknown[] = [];
    a.onMessage("name", (message) => names.push(message));
    const markup = '<img src=x onerror="alert(1)">';
    const contents = [
      42,
      null,
      ["a"],
      { toString: "x", constructor: 1 },
      markup,
      "\u202Eevil\u0000",
      Uint8Array.of(255),
    ];
    for (const message of contents) raw.send(a.myNumber, { kind: "command", type: "name", message });
    await until("all names are there", () => names.length === contents.length);
    expect(names.map((name) => (name instanceof Uint8Array ? new Uint8Array(name) : name))).toEqual(contents);
    expect(names[4]).toBe(markup);
    // A key that would change an object's prototype, or a message type that is no text, does not reach the
    // game.
    const prototypeKey = Uint8Array.of(
      0x92,
      0xa4,
      ...new TextEncoder().encode("name"),
      0x81,
      0xa9,
      ...new TextEncoder().encode("__proto__"),
      0x80,
    );
    for (const body of [
      prototypeKey,
      Uint8Array.of(0x92, 0x01, 0x02),
      Uint8Array.of(0x90),
      Uint8Array.of(0xc1),
    ]) {
      raw.sendReliable(a.myNumber, Uint8Array.of(PayloadKind.command, ...body));
    }
    raw.send(a.myNumber, { kind: "command", type: "name", message: "last" });
    await until("the last one", () => names.at(-1) === "last");
    expect(names).toHaveLength(contents.length + 1);
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("forges no answer to a request", async () => {
    const { a, b, raw } = await scene();
    for (let id = 0; id < 5; id++) raw.send(a.myNumber, { kind: "reply", id, ok: true, message: "forged" });
    raw.send(a.myNumber, { kind: "request", id: 1, type: "toString", message: 1 });
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("ends its own pair, and only that, if it keeps making no sense", async () => {
    const { a, b, raw, cars } = await scene();
    const states = beginCars(raw, a.myNumber);
    await until("its car is there", () => cars().length === 1);
    const tooLong = Uint8Array.of(...states.body(101, [0, ...goodState]), ...new Uint8Array(9));
    const reset: number[] = [];
    a.onPeerReset((peer) => reset.push(peer.number));
    for (let count = 0; count < 60; count++) raw.sendState(a.myNumber, tooLong, 101 + count);
    await until("a has cut it off", () => reset.length === 1);
    expect(reset).toEqual([raw.number]);
    expect(cars()).toEqual([]);
    await until("what still comes goes nowhere", () => a.drops.of("outdated") > 0);
    await until("and is told why", () => raw.closes.length > 0);
    expect(raw.closes).toEqual([{ from: a.myNumber, code: CloseCode.protocolViolation }]);
    expect(b.peers.map(({ number }) => number)).toContain(raw.number);
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("may be any bytes", async () => {
    const { a, b, raw } = await scene();
    const random = seededRandom(20);
    let resets = 0;
    a.onPeerReset(() => (resets += 1));
    for (let count = 0; count < 300; count++) {
      const packet = random.bytes(random.int(1, 60));
      // Half of the packets begin like packets of this version.
      if (random.bool(0.5)) packet[0] = random.int(0, 127) * 2;
      raw.sendPacket(a.myNumber, packet);
    }
    await until("a has cut it off", () => resets === 1);
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("that acknowledges nothing is named by an error, the others get the message, and nobody is removed", async () => {
    const { a, b, raw } = await scene({ packetsPerSecond: 10_000, packetBurst: 10_000 });
    const atB: unknown[] = [];
    b.onMessage("lap", (lap) => atB.push(lap));
    const skipped: NetError[] = [];
    a.onError((error) => skipped.push(error));
    for (let lap = 1; lap <= 20; lap++) {
      a.send("lap", "x".repeat(16_000));
      await until(`b has ${lap}`, () => atB.length === lap);
    }
    const rawNumber = a.peers.find(({ number }) => number !== b.myNumber)!.number;
    // 16 of these messages fill the 256 KiB.
    expect(skipped.map(({ code, retryable, peers }) => ({ code, retryable, peers }))).toEqual(
      Array.from({ length: 4 }, () => ({ code: "limit/queue", retryable: true, peers: [rawNumber] })),
    );
    expect(a.peers).toHaveLength(2);
    raw.leave();
  });
});

describe("a log", () => {
  test("gets a line a second, whatever a peer sends to listeners and handlers that throw", async () => {
    const logged = vi.spyOn(console, "error").mockImplementation(() => undefined);
    const { a, b, raw } = await scene();
    a.onMessage("boom", (message) => {
      throw new TypeError(`no ${String(message)}`);
    });
    a.onRequest("boom", (message) => {
      throw new TypeError(`no ${String(message)}`);
    });
    let heard = 0;
    a.onMessage("boom", () => (heard += 1));
    for (let count = 0; count < 300; count++) {
      raw.send(a.myNumber, { kind: "command", type: "boom", message: count });
      raw.send(a.myNumber, { kind: "request", id: count, type: "boom", message: count });
    }
    await until("all have come", () => heard === 300);
    expect(logged.mock.calls.length).toBeGreaterThan(0);
    expect(logged.mock.calls.length).toBeLessThan(12);
    logged.mockRestore();
    await expectUndisturbed(a, b);
    raw.leave();
  });
});
