import { ConfigError, defineEntity, vec2, type Room } from "@paceline/client";
import { describe, expect, test } from "vitest";
import { RelayStage } from "./relay-stage.js";

const Walker = defineEntity(
  "cell-walker",
  { position: vec2({ range: [-2000, 2000], precision: 0.01, unit: "m" }) },
  { motion: "velocity" },
);

async function stageOf(): Promise<RelayStage> {
  return new RelayStage({ delayMs: 20, rooms: { race: { maxPlayers: 100 } } });
}
const join = (stage: RelayStage): Promise<Room> =>
  stage.join(stage.player({}, { profile: "mmo", transports: ["websocket"], interest: { radiusM: 80 } }));

test("a member gets the entities near its viewpoint, and is told when they go", async () => {
  const stage = await stageOf();
  const [a, b] = [await join(stage), await join(stage)];
  const seen: string[] = [];
  b.onSpawn(Walker, (walker) =>
    seen.push(`+${walker.owner?.number ?? "me"} ${Math.round(walker.position.x)}`),
  );
  b.onDespawn(Walker, (walker, why) => seen.push(`-${walker.owner?.number ?? "me"} ${why}`));
  const mine = a.spawn(Walker, { position: { x: 0, y: 0 } });
  b.spawn(Walker, { position: { x: 1000, y: 0 } });
  a.advance();
  b.advance();
  await stage.advance(1000);
  expect(seen).toEqual(["+me 1000"]);
  b.viewpoint = { x: 10, y: 0 };
  await stage.advance(300);
  expect(seen).toEqual(["+me 1000", "+1 0"]);
  for (let x = 0; x < 200; x += 1) {
    mine.position.set(x, 0);
    a.advance();
    await stage.advance(50);
  }
  expect(seen).toEqual(["+me 1000", "+1 0", "-1 out-of-view"]);
  b.viewpoint = { x: 150, y: 0 };
  await stage.advance(300);
  expect(seen.slice(3)).toEqual([expect.stringMatching(/^\+1 19\d$/)]);
  a.despawn(mine);
  await stage.advance(300);
  expect(seen.slice(4)).toEqual(["-1 removed"]);
  expect(a.drops.toRecord?.() ?? {}).toEqual({});
});

const DELAY_MS = 20;
/** Both ways between a member and the relay. */
const ROUND_TRIP_MS = 2 * DELAY_MS;
/** A state belongs to a tick of the profile, of which there are 10 a second. */
const TICK_MS = 100;
/** A turn of the virtual clock. */
const TURN_MS = 5;
/** What the page knows already is shown when a newer state of it would be here, with so much time for the server's turns. */
const ANSWER_MS = 20;

const Lamp = defineEntity(
  "cell-lamp",
  { position: vec2({ range: [-2000, 2000], precision: 0.01, unit: "m" }) },
  { motion: "velocity", heartbeatMs: 10_000 },
);

/** Returns the time until the condition holds, ms, while all members draw 20 frames a second. */
async function timeUntil(
  stage: RelayStage,
  rooms: readonly Room[],
  condition: () => boolean,
): Promise<number> {
  for (let waitedMs = 0; waitedMs < 10_000; waitedMs += TURN_MS) {
    if (condition()) return waitedMs;
    if (waitedMs % 50 === 0) for (const room of rooms) room.advance();
    await stage.advance(TURN_MS);
  }
  return Infinity;
}

async function frames(stage: RelayStage, rooms: readonly Room[], ms: number): Promise<void> {
  const endMs = stage.scheduler.nowMs() + ms;
  await timeUntil(stage, rooms, () => stage.scheduler.nowMs() >= endMs);
}

describe("the guide's promise of what comes into view", () => {
  test("who comes to see a cell is shown what is in it within a round trip", async () => {
    const stage = await stageOf();
    const [a, b] = [await join(stage), await join(stage)];
    b.onSpawn(Walker, () => undefined);
    a.spawn(Walker, { position: { x: 0, y: 0 } });
    b.viewpoint = { x: 1000, y: 0 };
    // At any moment between two states of the owner, whose heartbeat is 2 s.
    for (const sinceMs of [400, 1100, 1930, 2500]) {
      await timeUntil(stage, [a, b], () => [...b.entities(Walker)].length === 0);
      await stage.advance(sinceMs);
      b.viewpoint = { x: 10, y: 0 };
      const shownMs = await timeUntil(stage, [a, b], () => [...b.entities(Walker)].length === 1);
      expect(shownMs).toBeLessThanOrEqual(ROUND_TRIP_MS + ANSWER_MS + TURN_MS);
      b.viewpoint = { x: 1000, y: 0 };
    }
  });

  test("several entities of an owner in one cell are shown as soon, however rare their heartbeats are", async () => {
    const stage = await stageOf();
    const [a, b] = [await join(stage), await join(stage)];
    b.onSpawn(Lamp, () => undefined);
    for (const x of [0, 3, 6]) a.spawn(Lamp, { position: { x, y: 0 } });
    b.viewpoint = { x: 1000, y: 0 };
    // Beyond the time for which the relay keeps packets of several entities.
    await frames(stage, [a, b], 5000);
    b.viewpoint = { x: 10, y: 0 };
    const shownMs = await timeUntil(stage, [a, b], () => [...b.entities(Lamp)].length === 3);
    expect(shownMs).toBeLessThanOrEqual(ROUND_TRIP_MS + ANSWER_MS + TURN_MS);
  });

  test("who comes back after a drop is shown within a round trip what came near meanwhile", async () => {
    const stage = await stageOf();
    const player = stage.player({}, { profile: "mmo", transports: ["websocket"], interest: { radiusM: 80 } });
    const [a, b] = [await join(stage), await stage.join(player)];
    b.onSpawn(Lamp, () => undefined);
    const lamp = a.spawn(Lamp, { position: { x: 1000, y: 0 } });
    b.viewpoint = { x: 10, y: 0 };
    await frames(stage, [a, b], 500);
    player.offline();
    await frames(stage, [a, b], 200);
    lamp.position.set(0, 0);
    await frames(stage, [a, b], 600);
    player.online();
    await timeUntil(stage, [a, b], () => b.state === "joined");
    const shownMs = await timeUntil(stage, [a, b], () => [...b.entities(Lamp)].length === 1);
    expect(shownMs).toBeLessThanOrEqual(ROUND_TRIP_MS + TURN_MS);
  });

  test("who moves into view is shown a tick and the way through the relay later, and does not wait for its turn", async () => {
    const stage = await stageOf();
    const [a, b] = [await join(stage), await join(stage)];
    b.onSpawn(Walker, () => undefined);
    const mine = a.spawn(Walker, { position: { x: 1000, y: 0 } });
    b.viewpoint = { x: 0, y: 0 };
    for (const sinceTurnMs of [0, 50, 100, 150]) {
      mine.position.set(1000, sinceTurnMs);
      await timeUntil(stage, [a, b], () => [...b.entities(Walker)].length === 0);
      await frames(stage, [a, b], 500);
      // A state goes now, so that the next turn is 200 ms away.
      mine.position.set(1000, 10 + sinceTurnMs);
      await frames(stage, [a, b], 50 + sinceTurnMs);
      mine.position.set(0, 0);
      const shownMs = await timeUntil(stage, [a, b], () => [...b.entities(Walker)].length === 1);
      expect(shownMs).toBeLessThanOrEqual(TICK_MS + ROUND_TRIP_MS + TURN_MS);
    }
  });
});

describe("a viewpoint", () => {
  test.each([
    ["no number", { x: NaN, y: 0 }],
    ["no number as its second coordinate", { x: 0, y: NaN }],
    ["infinite", { x: 0, y: Infinity }],
    ["without a second coordinate", { x: 0 }],
    ["of an entity without one", { position: undefined }],
    ["null", null],
    ["a number", 5],
  ])("that is %s is refused, and the one before stays", async (_, place) => {
    const stage = await stageOf();
    const room = await join(stage);
    const before = { x: 10, y: 0 };
    room.viewpoint = before;
    expect(() => (room.viewpoint = place as never)).toThrow(ConfigError);
    expect(room.viewpoint).toBe(before);
  });

  test("that becomes no number later is where it was last", async () => {
    const stage = await stageOf();
    const [a, b] = [await join(stage), await join(stage)];
    b.onSpawn(Walker, () => undefined);
    a.spawn(Walker, { position: { x: 0, y: 0 } });
    const place = { x: 10, y: 0 };
    b.viewpoint = place;
    await timeUntil(stage, [a, b], () => [...b.entities(Walker)].length === 1);
    place.x = NaN;
    await frames(stage, [a, b], 3000);
    expect([...b.entities(Walker)]).toHaveLength(1);
    place.x = 1500;
    expect(await timeUntil(stage, [a, b], () => [...b.entities(Walker)].length === 0)).toBeLessThan(500);
  });
});
