import { readFromAuthority, readToAuthority, writeAuthority, type ViewTerms } from "@paceline/protocol";
import { seededRandom } from "@paceline/transport/simulated";
import { beforeEach, describe, expect, test } from "vitest";
import { Replicator } from "../src/states/replicator.js";
import { World, type EntityRecord } from "../src/entities/world.js";
import { Car } from "./race.js";
import { Receiver } from "./receiver.js";

// Players of one room with different terms, each on its own line.

const TICK_HZ = 60;
const UNTOLD: ViewTerms = { isInterpolated: false, everyTicks: 1 };

let world: World;
let replicator: Replicator;
let car: EntityRecord;
let tick: number;

beforeEach(() => {
  world = new World({ definitions: [Car], tickHz: TICK_HZ, historyTicks: 64 });
  replicator = new Replicator({ world, tickHz: TICK_HZ, bytesPerSecond: 1_000_000 });
  car = world.spawn(Car, {}, undefined);
  tick = 0;
});

type Vector = { set(x: number, y: number): void };
type Driven = { position: Vector; velocity: Vector; heading: number };

function player(terms: Partial<ViewTerms>, isInOrder = true): Receiver {
  const receiver = new Receiver(world, seededRandom(1), { isInOrder });
  receiver.states.setView({ type: "view", ...UNTOLD, ...terms });
  return receiver;
}

/** Returns the number of packets that each player got while the car drove like this. */
function packets(
  receivers: readonly Receiver[],
  drive: (car: Driven, seconds: number) => void,
  seconds = 4,
): number[] {
  const before = receivers.map(({ packets: count }) => count);
  for (let step = 0; step < seconds * TICK_HZ; step++) {
    tick += 1;
    for (const receiver of receivers) receiver.begin(tick);
    drive(car.entity as unknown as Driven, tick / TICK_HZ);
    replicator.write(
      { tick, nowMs: (tick * 1000) / TICK_HZ },
      receivers.map(({ states }) => states),
    );
  }
  return receivers.map(({ packets: count }, index) => count - before[index]!);
}

const weave = ({ position }: Driven, seconds: number): void => position.set(20 * Math.sin(seconds), 0);
const rest = ({ velocity }: Driven): void => velocity.set(0, 0);
const straight = ({ position, velocity }: Driven, seconds: number): void => {
  position.set(20 * seconds, 0);
  velocity.set(20, 0);
};
const turn = (driven: Driven, seconds: number): void => void (driven.heading = Math.sin(3 * seconds));

describe.each([true, false])("of two players of one room, on lines in order: %s,", (isInOrder) => {
  test.each<[string, Partial<ViewTerms>, Partial<ViewTerms>, (car: Driven, seconds: number) => void, number]>(
    [
      ["with a wider threshold of position", {}, { thresholdM: 1 }, weave, 3],
      ["with a wider threshold of direction", {}, { headingRad: 0.3 }, turn, 3],
      ["told in every tenth tick", {}, { everyTicks: 10 }, weave, 2.5],
      ["with a longer heartbeat", { heartbeatMs: 200 }, { heartbeatMs: 2000 }, rest, 5],
      [
        "with a longer heartbeat of what moves",
        { movingHeartbeatMs: 50 },
        { movingHeartbeatMs: 300 },
        straight,
        3,
      ],
      ["who extrapolates", { isInterpolated: true }, { movingHeartbeatMs: 300 }, straight, 5],
    ],
  )("the one %s gets fewer packets", (_, often, seldom, drive, least) => {
    const receivers = [player(often, isInOrder), player(seldom, isInOrder)];
    packets(receivers, drive, 1);
    const [many, few] = packets(receivers, drive);
    expect(many! / few!).toBeGreaterThan(least);
    expect(few).toBeGreaterThan(0);
    // A player with rare states gets the last position too.
    packets(receivers, rest, 3);
    for (const { held } of receivers)
      expect(Math.abs(held.get(car.id)!.values[0]! - car.state[0]!)).toBeLessThan(0.02);
  });

  test.each([false, true])(
    "a player with repeats gets a single change once more: isInterpolated %s",
    (isInterpolated) => {
      const receivers = [
        player({ isInterpolated }, isInOrder),
        player({ isInterpolated, repeats: true }, isInOrder),
      ];
      packets(receivers, rest, 1);
      let place = 0;
      const jump = ({ position }: Driven, seconds: number): void => {
        if (Math.round(seconds * TICK_HZ) % 30 === 0) position.set((place += 1), 0);
      };
      const [once, twice] = packets(receivers, jump);
      expect(twice! - once!).toBeGreaterThanOrEqual(6);
    },
  );

  test("a player with fewer bytes a second gets no more than these", () => {
    for (let count = 0; count < 200; count++) world.spawn(Car, {}, undefined);
    const receivers = [player({}, isInOrder), player({ bytesPerSecond: 2000 }, isInOrder)];
    const all = (): void => {
      for (const { id, entity } of world.records.values())
        (entity as unknown as Driven).position.set(100 * Math.sin(tick / 7 + id), 0);
    };
    packets(receivers, all, 2);
    const before = receivers.map(({ bytes }) => bytes);
    packets(receivers, all, 5);
    const [full, little] = receivers.map(({ bytes }, index) => (bytes - before[index]!) / 5);
    expect(little).toBeLessThan(2200);
    expect(full).toBeGreaterThan(10 * little!);
  });
});

test("the room's own limit of bytes applies if a player wants more", () => {
  replicator = new Replicator({ world, tickHz: TICK_HZ, bytesPerSecond: 3000 });
  for (let count = 0; count < 100; count++) world.spawn(Car, {}, undefined);
  const receiver = player({ bytesPerSecond: 1_000_000 });
  const all = (): void => {
    for (const { id, entity } of world.records.values())
      (entity as unknown as Driven).position.set(100 * Math.sin(tick / 7 + id), 0);
  };
  packets([receiver], all, 2);
  const before = receiver.bytes;
  packets([receiver], all, 5);
  expect((receiver.bytes - before) / 5).toBeLessThan(3300);
});

test("players of equal terms share an encoding, others do not change it", () => {
  const alike = [player({ thresholdM: 0.5 }), player({ thresholdM: 0.5 })];
  const other = player({ thresholdM: 0.1 });
  packets([...alike, other], weave, 2);
  const [first, second, third] = packets([...alike, other], weave);
  expect(second).toBe(first);
  expect(third).toBeGreaterThan(first!);
  expect(alike[0]!.bytes).toBeLessThan(other.bytes);
});

test("a player that changes its terms gets states by the new ones from the next turn on", () => {
  const receiver = player({ thresholdM: 2 });
  packets([receiver], weave, 1);
  const [wide] = packets([receiver], weave);
  receiver.states.setView({ type: "view", ...UNTOLD, thresholdM: 0.01 });
  packets([receiver], weave, 0.5);
  const [narrow] = packets([receiver], weave);
  expect(narrow! / wide!).toBeGreaterThan(4);
});

test("with more different terms than a room can serve, the other players get exact states", () => {
  const receivers = Array.from({ length: 20 }, (_, index) => player({ thresholdM: 1 + index / 10 }));
  packets(receivers, weave, 1);
  const counts = packets(receivers, weave, 2);
  const exact = counts.filter((count) => count > 3 * counts[0]!);
  expect(exact).toHaveLength(4);
  expect(new Set(exact).size).toBe(1);
  packets(receivers, rest, 3);
  for (const { held } of receivers) expect(held.get(car.id)!.values[0]).toBeCloseTo(car.state[0]!, 1);
  expect(receivers.map(({ limits }) => limits)).toEqual(
    receivers.map((_, index) => (index < 16 ? [] : [{ maxViews: 16 }])),
  );
});

test("a player whose terms the room does not follow gets no more bytes than it wants", () => {
  for (let count = 0; count < 60; count++) world.spawn(Car, {}, undefined);
  const receivers = Array.from({ length: 16 }, (_, index) =>
    player({ everyTicks: 30, thresholdM: 1 + index / 10 }),
  );
  const late = player({ bytesPerSecond: 1000 });
  const all = (): void => {
    for (const { id, entity } of world.records.values())
      (entity as unknown as Driven).position.set(100 * Math.sin(tick / 7 + id), 0);
  };
  packets([...receivers, late], all, 1);
  const { bytes } = late;
  packets([...receivers, late], all, 4);
  expect(late.limits[0]).toEqual({ maxViews: 16 });
  // Its own budget is too small for 61 cars at each tick, which it learns too.
  expect(late.limits.at(-1)).toMatchObject({ maxViews: 16, waiting: expect.any(Number) });
  expect((late.bytes - bytes) / 4).toBeLessThan(1100);
  for (const held of late.held.values()) expect(held.tick).toBeGreaterThan(tick - 4 * TICK_HZ);
});

test("[WF34] a player whose states wait learns how many, and the budget that would do", () => {
  for (let count = 0; count < 60; count++) world.spawn(Car, {}, undefined);
  const receivers = [player({ bytesPerSecond: 2000 }), player({ bytesPerSecond: 2000 }, false), player({})];
  const all = (): void => {
    for (const { id, entity } of world.records.values())
      (entity as unknown as Driven).position.set(100 * Math.sin(tick / 7 + id), 0);
  };
  packets(receivers, all, 8);
  const [inOrder, lossy, rich] = receivers.map(({ limits }) => limits);
  expect(rich).toEqual([]);
  for (const said of [inOrder!, lossy!]) {
    const { waiting, neededBytesPerSecond } = said[0]!;
    expect(waiting).toBeGreaterThan(40);
    expect(waiting).toBeLessThanOrEqual(61);
    expect(neededBytesPerSecond).toBeGreaterThan(4000);
    // At most once a second, and only if the number has changed by more than a tenth.
    expect(said.length).toBeLessThan(8);
    for (const [index, next] of said.slice(1).entries()) {
      const change = next.neededBytesPerSecond! / said[index]!.neededBytesPerSecond!;
      expect(Math.abs(change - 1)).toBeGreaterThan(0.1 / 1.1);
    }
  }
  const { neededBytesPerSecond } = inOrder!.at(-1)!;
  const enough = player({ bytesPerSecond: neededBytesPerSecond! * 1.05 });
  packets([...receivers, enough], all, 4);
  expect(enough.limits).toEqual([]);
  packets(receivers, rest, 3);
  expect([inOrder!.at(-1), lossy!.at(-1)]).toEqual([{}, {}]);
});

test("[WF34] impossible limits are malformed", () => {
  const read = (fields: object) =>
    readFromAuthority(writeAuthority({ type: "limits", ...fields } as never).subarray(1));
  for (const fields of [
    {},
    { maxViews: 16 },
    { bytesPerSecond: 4000 },
    { maxViews: 1, bytesPerSecond: 500 },
    { waiting: 12, neededBytesPerSecond: 8400 },
  ])
    expect(read(fields)).toEqual({ type: "limits", ...fields });
  for (const wrong of [0, -1, "16", null, [16]])
    for (const name of ["maxViews", "bytesPerSecond", "waiting", "neededBytesPerSecond"])
      expect(read({ [name]: wrong })).toBeUndefined();
  expect([read({ waiting: 1.5 }), read({ waiting: 0x10000 })]).toEqual([undefined, undefined]);
});

test("[WF33] impossible terms are malformed; the authority chooses omitted ones", () => {
  for (const terms of [
    { thresholdM: -1 },
    { thresholdM: "1" },
    { headingRad: 4 },
    { heartbeatMs: 10 },
    { heartbeatMs: 2001 },
    { movingHeartbeatMs: -1 },
    { bytesPerSecond: 0 },
    { eventLifetimeMs: -1 },
    { messagePeriodMs: 101 },
    { repeats: 1 },
    { everyTicks: 33 },
    { everyTicks: 0 },
    { isInterpolated: "no" },
  ]) {
    const bytes = writeAuthority({ type: "view", ...UNTOLD, ...terms } as never);
    expect([terms, readToAuthority(bytes.subarray(1))]).toEqual([terms, undefined]);
  }
  const whole = writeAuthority({ type: "view", ...UNTOLD, thresholdM: 0.5, eventLifetimeMs: 0 });
  expect(readToAuthority(whole.subarray(1))).toEqual({
    type: "view",
    ...UNTOLD,
    thresholdM: 0.5,
    eventLifetimeMs: 0,
  });
});
