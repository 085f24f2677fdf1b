import { ByteWriter, MessageKind, PayloadKind, writeComponents } from "@paceline/protocol";
import type { RelayLimits } from "@paceline/relay";
import { seededRandom } from "@paceline/testkit";
import type { RemoteEntity, Room } from "@paceline/client";
import { describe, expect, test } from "vitest";
import { Car } from "./definitions.js";
import { RawPeer } from "./raw-peer.js";
import { Stage } from "./stage.js";
import { until } from "./until.js";

const stage = new Stage();

/** Position, heading, fuel, braking; velocity and turn rate. */
const goodState = [1, 2, 0.5, 0.5, 1, 0, 0, 0];

function spawnOf(
  localId: number,
  state: readonly number[],
  more: { name?: string; schemaHash?: number } = {},
) {
  const writer = new ByteWriter();
  writeComponents(writer, state);
  const { name = Car.name, schemaHash = Car.schemaHash } = more;
  return { kind: "spawn", localId, name, schemaHash, tickHz: 60, tick: 100, state: writer.take() } as const;
}

/** A room with two games that play by the rules, and one participant that need not. */
async function scene(limits: Partial<RelayLimits> = {}): Promise<{
  a: Room;
  b: Room;
  raw: RawPeer;
  cars(): RemoteEntity<(typeof Car)["fields"]>[];
}> {
  const server = await stage.server({ limits });
  const [a, b] = (await stage.meet(server, 2)) as [Room, Room];
  const raw = await RawPeer.join(server);
  const cars = () => [...a.entities(Car)].filter((car) => !car.isMine);
  expect(cars()).toEqual([]);
  await until("everyone sees everyone", () => a.peers.length === 2 && b.peers.length === 2);
  return { a, b, raw, cars };
}

/** The game goes on: a message from one to the other and back. */
async function expectUndisturbed(a: Room, b: Room): Promise<void> {
  b.onRequest("alive", (message) => message);
  const peer = a.peers.find(({ number }) => number === b.myNumber);
  expect(await a.request("alive", "yes", peer)).toBe("yes");
  expect([a.state, b.state]).toEqual(["joined", "joined"]);
}

describe("what comes from a peer", () => {
  test("plays along where it keeps the rules", async () => {
    const { a, raw, cars } = await scene();
    raw.send(a.myNumber, spawnOf(0, goodState));
    raw.sendState(a.myNumber, 0, [3, 4, 0.25, 0.75, 0, 0, 0, 0], 101);
    await until("its car has moved", () => cars()[0]?.position.x === 3);
    expect(cars()[0]).toMatchObject({ fuel: 0.75, braking: false, lastTick: 101 });
    expect(a.drops.total).toBe(0);
    raw.leave();
  });

  test("is dropped and counted where a value is out of range, and nothing of it is shown", async () => {
    const { a, b, raw, cars } = await scene();
    raw.send(a.myNumber, spawnOf(0, goodState));
    await until("its car is there", () => cars().length === 1);
    const bad: [place: number, value: number][] = [
      [0, 1000.5],
      [1, Number.NaN],
      [2, Infinity],
      [2, 3.2],
      [3, -0.01],
      [4, 0.5],
      [4, 2],
      [5, 2e6],
      [7, -Infinity],
    ];
    let tick = 101;
    for (const [place, value] of bad) {
      raw.sendState(a.myNumber, 0, goodState.with(place, value), tick++);
    }
    await until("all are dropped", () => a.drops.of("out-of-range") === bad.length);
    expect(cars()[0]).toMatchObject({ fuel: 0.5, heading: 0.5, lastTick: 100 });
    // A bad one takes no good one with it.
    raw.sendState(a.myNumber, 0, goodState.with(3, 1), tick);
    await until("a good one is taken", () => cars()[0]!.fuel === 1);
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("is dropped and counted where it is old, repeated, cut off, or about nothing", async () => {
    const { a, b, raw, cars } = await scene();
    raw.send(a.myNumber, spawnOf(0, goodState));
    await until("its car is there", () => cars().length === 1);
    raw.sendState(a.myNumber, 0, goodState, 100);
    raw.sendState(a.myNumber, 0, goodState, 99);
    raw.sendState(a.myNumber, 5, goodState, 200);
    raw.sendState(a.myNumber, 0, goodState.slice(1), 201);
    const cut = new ByteWriter().u16(0).varint(8).f32(1).u8(7).take();
    raw.sendMessage(a.myNumber, MessageKind.state, cut, { isPublished: true, tick: 202 });
    const longClaim = new ByteWriter()
      .u16(9)
      .varint(2 ** 20)
      .f32(1)
      .take();
    raw.sendMessage(a.myNumber, MessageKind.state, longClaim, { isPublished: true, tick: 203 });
    await until("all are dropped", () => a.drops.total === 6);
    expect(a.drops.toRecord()).toEqual({ outdated: 2, "unknown-entity": 2, length: 2 });
    expect(cars()[0]!.lastTick).toBe(100);
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("spawns nothing that does not fit its definition", async () => {
    const { a, b, raw, cars } = await scene();
    raw.send(a.myNumber, spawnOf(0, goodState.with(0, 1e9)));
    raw.send(a.myNumber, spawnOf(1, goodState.slice(2)));
    raw.send(a.myNumber, spawnOf(2, [...goodState, 1]));
    raw.send(a.myNumber, spawnOf(3, goodState, { schemaHash: 1 }));
    raw.send(
      a.myNumber,
      spawnOf(
        4,
        Array.from({ length: 4000 }, () => 0),
        { name: "toString" },
      ),
    );
    raw.send(a.myNumber, spawnOf(5, [1], { name: "__proto__" }));
    raw.send(a.myNumber, { kind: "despawn", localId: 77 });
    raw.send(a.myNumber, spawnOf(6, goodState));
    await until("the good one is there", () => cars().length === 1);
    expect(a.drops.toRecord()).toEqual({ "out-of-range": 3, "bad-message": 1, "too-long": 1 });
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
    // Keys that would change an object's prototype, types that are not text: not even that.
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

  test("answers no request that was not asked", async () => {
    const { a, b, raw } = await scene();
    for (let id = 0; id < 5; id++) raw.send(a.myNumber, { kind: "reply", id, ok: true, message: "forged" });
    raw.send(a.myNumber, { kind: "request", id: 1, type: "toString", message: 1 });
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("ends its pair when it keeps making no sense, and only its own", async () => {
    const { a, b, raw, cars } = await scene();
    raw.send(a.myNumber, spawnOf(0, goodState));
    await until("its car is there", () => cars().length === 1);
    const left: number[] = [];
    a.onPeerLeave((peer) => left.push(peer.number));
    for (let count = 0; count < 60; count++)
      raw.sendState(a.myNumber, 0, goodState.with(0, 1e9), 101 + count);
    await until("a has cut it off", () => left.length === 1);
    expect(left).toEqual([raw.number]);
    expect(cars()).toEqual([]);
    expect(a.peers.map(({ number }) => number)).toEqual([b.myNumber]);
    await until("what still comes goes nowhere", () => a.drops.of("not-routable") > 0);
    // With b it did nothing wrong.
    expect(b.peers.map(({ number }) => number)).toContain(raw.number);
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("may be any bytes at all", async () => {
    const { a, b, raw } = await scene();
    const random = seededRandom(20);
    for (let count = 0; count < 300; count++) {
      const packet = random.bytes(random.int(1, 60));
      // Half of them begin as packets of this version do.
      if (random.bool(0.5)) packet[0] = 0x10 | random.int(0, 15);
      raw.sendPacket(a.myNumber, packet);
    }
    await until("a has cut it off", () => a.peers.length === 1);
    await expectUndisturbed(a, b);
    raw.leave();
  });

  test("does not stop messages to the others when it takes none itself", async () => {
    const { a, b, raw } = await scene({ packetsPerSecond: 10_000, packetBurst: 10_000 });
    const atB: unknown[] = [];
    b.onMessage("lap", (lap) => atB.push(lap));
    // Nobody answers at the raw peer: nothing is ever acknowledged.
    for (let lap = 0; lap < 1100; lap++) {
      a.send("lap", lap);
      if (lap % 100 === 99) await until(`b has ${lap + 1}`, () => atB.length === lap + 1);
    }
    expect(atB).toEqual(Array.from({ length: 1100 }, (_, lap) => lap));
    expect(a.peers.map(({ number }) => number)).toEqual([b.myNumber]);
    raw.leave();
  });
});
