import { defineEntity, vec3 } from "@paceline/protocol";
import { World, type EntityRecord } from "../src/entities/world.js";
import { Ground } from "../src/interest/ground.js";
import { exactTerms } from "../src/states/state-terms.js";
import { describe, expect, test } from "vitest";
import { Food, Meadow, Runner, Score, Walker, distanceM, positionOf, type MeadowInterest } from "./meadow.js";
import type { Receiver, ReceiverNetwork } from "./receiver.js";

const RADIUS_M = 40;
const CELL_M = RADIUS_M / 2;
/**
 * Farthest place of what may still be sent: the radius, the diagonal of a cell with its borders, and what a viewer and
 * an entity may walk between two measurements.
 */
const MOST_M = RADIUS_M + Math.SQRT2 * 1.2 * CELL_M + 0.2 * CELL_M;
const inOrder: ReceiverNetwork = { isInOrder: true };
const lossy: ReceiverNetwork = { isInOrder: false, delayTicks: 2, jitterTicks: 2, lossRatio: 0.1 };
const lines = [
  ["in order", inOrder],
  ["lossy", lossy],
] as const;

/** Players with a walker each, and other walkers and food around. */
function populated(seed: number, network: ReceiverNetwork, interest: MeadowInterest = { radiusM: RADIUS_M }) {
  const meadow = new Meadow(seed, interest);
  const own = new Map<Receiver, EntityRecord>();
  for (let each = 0; each < 8; each++) {
    const player = meadow.join(network);
    own.set(player, meadow.spawn(Walker, player));
  }
  for (let each = 0; each < 60; each++) meadow.spawn(Walker);
  for (let each = 0; each < 80; each++) meadow.spawn(Food);
  meadow.spawn(Score);
  return { meadow, own };
}

/** Returns what is wrong with what the players hold, once everything has been at rest for a while. */
function mistakes(meadow: Meadow, own: ReadonlyMap<Receiver, EntityRecord>): string[] {
  const found: string[] = [];
  for (const [player, mine] of own) {
    for (const reason of player.drops) if (reason !== "outdated") found.push(`dropped: ${reason}`);
    for (const id of player.held.keys()) if (!meadow.world.records.get(id)) found.push(`${id} is no more`);
    for (const record of meadow.world.records.values()) {
      const held = player.held.get(record.id);
      const isScore = record.definition.name === "score";
      const meters = isScore ? 0 : distanceM(record, mine);
      if (!held && meters <= 0.9 * RADIUS_M)
        found.push(`${record.definition.name} at ${meters} m is missing`);
      if (held && meters > MOST_M) found.push(`${record.definition.name} at ${meters} m is there`);
      if (!held || isScore) continue;
      const { x, y } = positionOf(record);
      const errorM = Math.hypot(held.values[0]! - x, held.values[1]! - y);
      if (errorM > 0.02) found.push(`${record.definition.name} is off by ${errorM} m`);
    }
  }
  return found;
}

describe.each(lines)("players over lines that are %s", (_name, network) => {
  test.each([1, 2, 3, 4, 5])("see what is near them and nothing else (world %i)", (seed) => {
    const { meadow, own } = populated(seed, network);
    for (let each = 0; each < 10; each++) {
      meadow.run(30);
      meadow.despawn(meadow.walkers[20 + each]!);
      meadow.spawn(Food);
    }
    meadow.run(60, 0);
    expect(mistakes(meadow, own)).toEqual([]);
    expect(meadow.faults).toEqual([]);
  });

  test("get no byte of what is far away, at any tick", () => {
    const { meadow, own } = populated(11, network);
    const far: string[] = [];
    let states = 0;
    for (const [player, mine] of own)
      player.onState = ({ id, tick, isNew }) => {
        states += 1;
        const of = meadow.world.records.get(id)!;
        if (of.definition.name === "score" || !isNew) return;
        // What is read now was sent a few ticks ago.
        const slackM = (2 * 8 * (meadow.tick - tick + 1)) / 20;
        if (distanceM(of, mine) > MOST_M + slackM) far.push(`${of.definition.name} ${distanceM(of, mine)}`);
      };
    meadow.run(400);
    expect(far).toEqual([]);
    expect(states).toBeGreaterThan(5000);
  });

  test("hear that what walks away is out of view, and that what ends is removed", () => {
    const meadow = new Meadow(1, { radiusM: RADIUS_M });
    const player = meadow.join(network);
    meadow.spawn(Walker, player, { x: 0, y: 0 });
    meadow.walkers.length = 0;
    const stays = meadow.spawn(Food, undefined, { x: 10, y: 10 });
    const walks = meadow.spawn(Walker, undefined, { x: 10, y: 0 });
    const far = meadow.spawn(Food, undefined, { x: 190, y: 190 });
    meadow.run(10, 0);
    expect([...player.held.keys()].sort()).toEqual([1, stays.id, walks.id]);
    meadow.run(120, 20, { x: 180, y: 0 });
    meadow.run(10, 0);
    expect(player.removals.map(({ id, why }) => ({ id, why }))).toEqual([
      { id: walks.id, why: "out-of-view" },
    ]);
    meadow.despawn(stays);
    meadow.despawn(far);
    meadow.despawn(walks);
    meadow.run(20, 0);
    expect(player.removals.slice(1).map(({ id, why }) => ({ id, why }))).toEqual([
      { id: stays.id, why: "removed" },
    ]);
  });

  test("see what crosses the borders of cells all the time, without a break", () => {
    const meadow = new Meadow(2, { rings: [{ radiusM: 60, everyTicks: 2 }] });
    const player = meadow.join(network);
    meadow.spawn(Food, player, { x: 0, y: 0 });
    meadow.spawn(Walker, undefined, { x: -40, y: -31 });
    let last = 0;
    let longest = 0;
    let births = 0;
    player.onState = ({ id, tick, isNew }) => {
      if (id !== 2) return;
      if (isNew) births += 1;
      else longest = Math.max(longest, tick - last);
      last = tick;
    };
    // Back and forth through all cells of the view; the goal changes, so that each turn has an error.
    for (let leg = 0; leg < 12; leg++) meadow.run(40, 30, { x: leg % 2 ? -40 : 40, y: 30 * Math.sin(leg) });
    expect(births).toBe(1);
    expect(player.removals).toEqual([]);
    // Two ticks are the period. On a lossy line, a lost state is repeated after its acknowledgement is overdue.
    expect(longest).toBeLessThanOrEqual(network.isInOrder ? 3 : 12);
  });

  test("who come back see what is there then", () => {
    const { meadow, own } = populated(3, network);
    meadow.run(60);
    const [player] = own.keys();
    player!.offline = true;
    player!.states.restart();
    meadow.run(100);
    meadow.despawn(meadow.walkers[30]!);
    player!.offline = false;
    player!.link = network.isInOrder ? ({} as never) : undefined;
    meadow.run(40);
    player!.restart();
    meadow.run(40);
    meadow.run(60, 0);
    expect(mistakes(meadow, own)).toEqual([]);
  });

  test("whose lines are full for a while see everything afterwards, and hold up nobody", () => {
    const { meadow, own } = populated(4, network);
    const [slow, ...others] = own.keys();
    for (let each = 0; each < 6; each++) {
      slow!.slow = slow!.blocked = true;
      meadow.run(10 + each * 7);
      slow!.slow = slow!.blocked = false;
      meadow.run(15);
    }
    meadow.run(60, 0);
    expect(mistakes(meadow, own)).toEqual([]);
    for (const other of others) expect(other.desyncs).toBe(0);
  });

  /** Returns a meadow in which all see the same few cells, and a function that returns the number of encodings so far. */
  function crowded(): [Meadow, () => number] {
    const meadow = new Meadow(5, { radiusM: 100 });
    for (let each = 0; each < 30; each++) meadow.spawn(Walker, meadow.join(inOrder), meadow.somewhere(20));
    meadow.run(20, 0);
    let encodings = 0;
    const { writer } = meadow.world;
    const write = writer.write.bind(writer);
    writer.write = (content) => {
      encodings += 1;
      return write(content);
    };
    return [meadow, () => encodings];
  }

  test("share the encodings of the cells that they see together", () => {
    const [meadow, encodings] = crowded();
    meadow.run(40, 3, { x: 5, y: 5 });
    // A meadow of a few cells, not thirty views.
    expect(encodings()).toBeLessThan(40 * 8);
  });

  test("share them also if the lines of many of them are full at the same ticks", () => {
    const [meadow, encodings] = crowded();
    for (let turn = 0; turn < 20; turn++) {
      for (const receiver of meadow.players.slice(10)) receiver.slow = receiver.blocked = true;
      meadow.run(1, 3, { x: 5, y: 5 });
      for (const receiver of meadow.players) receiver.slow = receiver.blocked = false;
      meadow.run(2, 3, { x: 5, y: 5 });
    }
    expect(encodings()).toBeLessThan(60 * 8);
  });
});

describe("the game's exact rule", () => {
  test.each(lines)("hides an entity from all bytes (%s)", (_name, network) => {
    const isHidden = (player: number, id: number) => (player + id) % 3 === 0;
    const { meadow, own } = populated(6, network, {
      radiusM: RADIUS_M,
      relevant: ({ number }, { id }) => !isHidden(number, id),
    });
    const leaks: number[] = [];
    for (const [receiver, mine] of own)
      receiver.onState = ({ id }) => {
        if (id !== mine.id && isHidden(receiver.player.owner.number, id)) leaks.push(id);
      };
    meadow.run(200);
    meadow.run(40, 0);
    const missing: number[] = [];
    for (const [receiver, mine] of own) {
      const { number } = receiver.player.owner;
      for (const { id } of receiver.removals) if (isHidden(number, id)) leaks.push(id);
      for (const record of meadow.world.records.values()) {
        const { id } = record;
        if (record.definition.name === "score" || record === mine || isHidden(number, id)) continue;
        if (distanceM(record, mine) <= 0.9 * RADIUS_M && !receiver.held.has(id)) missing.push(id);
      }
    }
    expect(missing).toEqual([]);
    expect(leaks).toEqual([]);
  });

  test("that throws or answers nonsense hides, and is told once", () => {
    const { meadow, own } = populated(7, inOrder, {
      radiusM: RADIUS_M,
      relevant: ({ number }, { id }) => {
        if (id % 2 === 0) throw new Error("no such team");
        return (id % 3 === 0 ? "yes" : number > 0) as boolean;
      },
    });
    meadow.run(60);
    expect(meadow.faults).toEqual(["rule"]);
    expect(meadow.counters.interestFaults).toBeGreaterThan(100);
    for (const [player, mine] of own)
      for (const id of player.held.keys())
        expect(id === mine.id || (id % 2 === 1 && id % 3 !== 0)).toBe(true);
  });
});

describe("what a player looks from", () => {
  test("is its own entity, another one, or a place, and stays where that ends", () => {
    const meadow = new Meadow(8, { radiusM: RADIUS_M });
    const player = meadow.join(inOrder);
    const foods = [-150, 0, 150].map((x) => meadow.spawn(Food, undefined, { x, y: 0 }));
    const seen = () => foods.map(({ id }) => player.held.has(id));
    meadow.run(5, 0);
    expect(seen()).toEqual([false, false, false]);
    const own = meadow.spawn(Walker, player, { x: -150, y: 0 });
    meadow.run(5, 0);
    expect(seen()).toEqual([true, false, false]);
    player.player.sight.from = { x: 0, y: 0 };
    meadow.run(5, 0);
    expect(seen()).toEqual([false, true, false]);
    // Its own entity it sees wherever it looks.
    expect(player.held.has(own.id)).toBe(true);
    const other = meadow.spawn(Walker, undefined, { x: 150, y: 0 });
    player.player.sight.from = other;
    meadow.run(5, 0);
    expect(seen()).toEqual([false, false, true]);
    meadow.despawn(other);
    meadow.run(5, 0);
    expect(seen()).toEqual([false, false, true]);
    expect(meadow.faults).toEqual(["viewpoint"]);
    player.player.sight.from = undefined;
    meadow.run(5, 0);
    expect(seen()).toEqual([true, false, false]);
  });

  test("does not matter for an own entity, nor for the one that takes its place in the same tick", () => {
    const meadow = new Meadow(8, { radiusM: RADIUS_M });
    const player = meadow.join(inOrder);
    player.player.sight.from = { x: -150, y: 0 };
    const first = meadow.spawn(Walker, player, { x: 150, y: 0 });
    meadow.run(5, 0);
    expect(player.held.has(first.id)).toBe(true);
    meadow.despawn(first);
    const second = meadow.spawn(Walker, player, { x: 150, y: 0 });
    meadow.run(5, 0);
    expect(player.held.has(second.id)).toBe(true);
  });

  test("does not matter for what it watches", () => {
    const meadow = new Meadow(9, { radiusM: RADIUS_M });
    const player = meadow.join(inOrder);
    meadow.spawn(Walker, player, { x: -150, y: 0 });
    meadow.walkers.length = 0;
    const friend = meadow.spawn(Walker, undefined, { x: 150, y: 0 });
    meadow.run(5, 0);
    expect(player.held.has(friend.id)).toBe(false);
    player.player.sight.watch(friend);
    meadow.run(40, 10);
    const held = player.held.get(friend.id)!;
    expect(held.values[0]).toBeCloseTo(positionOf(friend).x, 0);
    player.player.sight.unwatch(friend);
    meadow.run(5, 0);
    expect(player.held.has(friend.id)).toBe(false);
    expect(player.removals.at(-1)).toMatchObject({ id: friend.id, why: "out-of-view" });
  });
});

describe("detail", () => {
  /** Returns the ticks of the states of a walker that no model predicts, at this place. */
  const ticksOf = (x: number, rings: MeadowInterest["rings"], swayM = 2, kind = Walker): number[] => {
    const meadow = new Meadow(20, { rings: rings! });
    const player = meadow.join(inOrder);
    meadow.spawn(Food, player, { x: 0, y: 0 });
    const walker = meadow.spawn(kind, undefined, { x, y: 0 });
    meadow.run(10, 0);
    const ticks: number[] = [];
    player.onState = ({ id, tick }) => void (id === walker.id && ticks.push(tick));
    for (let tick = 0; tick < 60; tick++)
      meadow.run(1, 0, undefined, () => positionOf(walker).set(x, swayM * Math.sin(tick / 3)));
    return ticks;
  };
  const gaps = (ticks: readonly number[]): number[] => ticks.slice(1).map((tick, at) => tick - ticks[at]!);

  test("follows the rates of the rings", () => {
    const rings = [{ radiusM: 30 }, { radiusM: 90, everyTicks: 4 }];
    expect(Math.min(...gaps(ticksOf(5, rings)))).toBe(1);
    expect(Math.min(...gaps(ticksOf(75, rings)))).toBe(4);
    expect(ticksOf(75, rings).length).toBeGreaterThan(8);
  });

  test("follows the thresholds of the rings", () => {
    const rings = [{ radiusM: 30 }, { radiusM: 90, thresholdM: 10 }];
    expect(ticksOf(5, rings).length).toBeGreaterThan(50);
    expect(ticksOf(75, rings).length).toBeLessThan(5);
    expect(ticksOf(75, rings, 40).length).toBeGreaterThan(20);
    // A kind with motion has a state every 150 ms while it moves, whatever its error is.
    expect(ticksOf(5, rings, 2, Runner).length).toBeGreaterThan(40);
    expect(ticksOf(75, rings, 2, Runner).length).toBeLessThan(25);
  });

  test("follows the player's own terms: their rate, and their bytes where the room has more", () => {
    const meadow = new Meadow(21, { radiusM: 100, maxEntities: 4096 });
    const [modest, other] = [meadow.join(inOrder), meadow.join(inOrder)];
    for (const player of [modest, other]) meadow.spawn(Walker, player, { x: 0, y: 0 });
    for (let each = 0; each < 200; each++) meadow.spawn(Walker, undefined, meadow.somewhere(45));
    meadow.run(20);
    const { eventLifetimeMs, messagePeriodMs } = { eventLifetimeMs: 1000, messagePeriodMs: 0 };
    modest.states.setView({
      ...{ type: "view", ...exactTerms, eventLifetimeMs, messagePeriodMs },
      ...{ everyTicks: 2, bytesPerSecond: 4000 },
    });
    meadow.run(60);
    const [before, beforeOther, removals] = [modest.bytes, other.bytes, modest.removals.length];
    const states = [0, 0];
    modest.onState = ({ tick }) => void (states[tick % 2]! += 1);
    for (let leg = 0; leg < 8; leg++) meadow.run(20, 5, { x: 10 * leg, y: -5 * leg });
    expect((modest.bytes - before) / 8).toBeLessThan(4000 * 1.15);
    expect((other.bytes - beforeOther) / 8).toBeGreaterThan(5000);
    // Between its turns come only entities that enter another cell.
    expect(states[1]! / states[0]!).toBeLessThan(0.3);
    expect(modest.removals.length - removals).toBeLessThan(200);
    expect(modest.drops).toEqual([]);
  });
});

test("the ground of three dimensions is x and z, unless the room says x and y", () => {
  const Drone = defineEntity("drone", {
    position: vec3({ range: [-100, 100], precision: 0.01, unit: "m" }),
  });
  const world = new World({ definitions: [Drone], tickHz: 20, historyTicks: 64 });
  const drone = world.spawn(Drone, { position: { x: 1, y: 2, z: 3 } }, undefined);
  expect(new Ground([Drone], undefined).placeOf(drone)).toEqual([1, 3]);
  expect(new Ground([Drone], "xy").placeOf(drone)).toEqual([1, 2]);
  expect(new Ground([Drone], undefined).yOfPoint({ x: 1, y: 2, z: 3 })).toBe(3);
  expect(new Ground([Drone], "xy").yOfPoint({ x: 1, y: 2, z: 3 })).toBe(2);
  expect(new Ground([Drone], undefined).world).toEqual({ minX: -100, minY: -100, maxX: 100, maxY: 100 });
});

describe("a crowd", () => {
  test("in one place costs rate: each player sees its most important, and all in turn", () => {
    const meadow = new Meadow(10, {
      radiusM: RADIUS_M,
      maxEntities: 50,
      kinds: [{ definition: Food, weight: 100 }],
    });
    const player = meadow.join(inOrder);
    meadow.spawn(Walker, player, { x: 0, y: 0 });
    for (let each = 0; each < 300; each++) meadow.spawn(Walker, undefined, meadow.somewhere(15));
    const foods = Array.from({ length: 10 }, () => meadow.spawn(Food, undefined, meadow.somewhere(15)));
    meadow.run(60, 2, { x: 0, y: 0 });
    expect(meadow.faults).toContain("crowd");
    expect(player.held.size).toBeLessThanOrEqual(51);
    expect(player.held.size).toBeGreaterThan(40);
    for (const { id } of foods) expect(player.held.has(id)).toBe(true);
  });

  test("beyond the budget loses the far ring, then rate, and stays within its bytes", () => {
    const meadow = new Meadow(11, { radiusM: 100, maxEntities: 4096 }, 8000);
    const player = meadow.join(inOrder);
    meadow.spawn(Walker, player, { x: 0, y: 0 });
    for (let each = 0; each < 250; each++) meadow.spawn(Walker, undefined, meadow.somewhere(45));
    meadow.run(60);
    const { bytes } = player;
    for (let each = 0; each < 8; each++) meadow.run(20, 5, { x: 10 * each, y: -5 * each });
    expect((player.bytes - bytes) / 8).toBeLessThan(8000 * 1.15);
    expect(player.held.size).toBeGreaterThan(100);
  });

  const everything = { relevant: () => true };
  test.each([
    ["cells", {}],
    ["a list", everything],
  ])("beyond the budget at the slowest rate is told how many wait, until it fits (%s)", (_name, interest) => {
    const meadow = new Meadow(11, { radiusM: 100, maxEntities: 4096, ...interest }, 2000);
    const player = meadow.join(inOrder);
    meadow.spawn(Walker, player, { x: 0, y: 0 });
    meadow.run(100, 5);
    expect(player.limits.filter(({ waiting }) => waiting !== undefined)).toEqual([]);
    for (let each = 0; each < 600; each++) meadow.spawn(Walker, undefined, meadow.somewhere(40));
    for (let each = 0; each < 8; each++) meadow.run(20, 5, { x: 5 * (each % 2), y: -5 * (each % 2) });
    const { waiting = 0, neededBytesPerSecond = 0 } = player.limits.at(-1) ?? {};
    expect(waiting).toBeGreaterThan(50);
    expect(waiting).toBeLessThanOrEqual(601);
    expect(neededBytesPerSecond).toBeGreaterThan(2000);
    for (const walker of meadow.walkers.slice(20)) meadow.despawn(walker);
    meadow.run(100, 1);
    expect(player.limits.at(-1)!.waiting).toBeUndefined();
  });
});

test("kinds that concern everybody, and those without a place, are seen everywhere", () => {
  const meadow = new Meadow(12, { radiusM: RADIUS_M, kinds: [{ definition: Food, always: true }] });
  const player = meadow.join(inOrder);
  meadow.spawn(Walker, player, { x: -150, y: 0 });
  const food = meadow.spawn(Food, undefined, { x: 190, y: 190 });
  const score = meadow.spawn(Score);
  meadow.run(5, 0);
  expect(player.held.has(food.id) && player.held.has(score.id)).toBe(true);
});

test("thousands that appear or end in one tick come to everybody who sees them", () => {
  const meadow = new Meadow(13, { radiusM: RADIUS_M, maxEntities: 4096 });
  const player = meadow.join(inOrder);
  const mine = meadow.spawn(Walker, player, { x: 0, y: 0 });
  meadow.run(5, 0);
  const many = Array.from({ length: 3000 }, () => meadow.spawn(Food));
  meadow.run(4, 0);
  const near = many.filter((record) => distanceM(record, mine) <= 0.9 * RADIUS_M);
  for (const { id } of near) expect(player.held.has(id)).toBe(true);
  for (const record of many) meadow.despawn(record);
  meadow.run(4, 0);
  expect([...player.held.keys()]).toEqual([mine.id]);
});

test("players who leave in one step, each with its entity, fail nothing", () => {
  const meadow = new Meadow(1, { radiusM: 50 });
  const lines = { isInOrder: true, delayTicks: 1 } as const;
  const [stays, ...leaving] = [meadow.join(lines), meadow.join(lines), meadow.join(lines)];
  const place = { x: 0, y: 0 };
  const mine = meadow.spawn(Walker, stays, place);
  const theirs = leaving.map((player) => meadow.spawn(Walker, player, place));
  meadow.run(5, 0);
  expect(stays.held.size).toBe(3);
  // Both entities are gone before the first of the views ends.
  for (const record of theirs) meadow.despawn(record);
  for (const { states } of leaving) states.isEnded = true;
  meadow.players.splice(1);
  meadow.run(5, 0);
  expect([...stays.held.keys()]).toEqual([mine.id]);
});
