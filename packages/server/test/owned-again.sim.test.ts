import {
  Room,
  defineEntity,
  vec2,
  type BreachAnswer,
  type Player,
  type PlayerEntities,
} from "@paceline/server";
import type { Entity } from "@paceline/client";
import { roomStage, type RoomStage, type StagePlayer } from "@paceline/testkit/room";
import { planState, writeWholeState } from "@paceline/protocol";
import { afterEach, describe, expect, it, test } from "vitest";
import { Car } from "./race.js";
import { RawPlayer } from "./raw-player.js";

const Boat = defineEntity(
  "boat",
  { position: vec2({ range: [-4096, 4096], precision: 0.01, unit: "m" }) },
  { motion: "velocity" },
);
type Kind = typeof Car | typeof Boat;
type Mine = Entity & { readonly position: { x: number } };

const MAX_SPEED = 60;
const SECONDS = 8;
/** What an entity may do in a time: the tolerances are 5 %, half a second of motion, and the rounding of positions. */
const allowedM = (seconds: number): number => MAX_SPEED * 1.05 * (seconds + 0.5) + 1;
/** The second entity that a player may own begins where it likes, once. */
const FIRST_LEAP_M = 66;
const FRAME_MS = 30;

class OpenRoom extends Room {
  override readonly entities = [Car, Boat];
  override readonly playerEntities: readonly PlayerEntities[] = [
    { definition: Car, most: 2, limits: { maxSpeed: MAX_SPEED } },
    { definition: Boat, most: 2, limits: { maxSpeed: MAX_SPEED } },
  ];
  readonly breaches: string[] = [];
  answer: BreachAnswer = "correct";

  override onBreach(_player: Player, entity: object, breach: string): BreachAnswer {
    const { x } = (entity as { position: { x: number } }).position;
    this.breaches.push(`${breach} at ${Math.round(x)}`);
    return this.answer;
  }
}

let stage: RoomStage<OpenRoom>;
afterEach(() => stage.stop());

/** Returns the farthest place of any entity, m. */
function farthest(): number {
  const cars = [...stage.room.entitiesOf(Car), ...stage.room.entitiesOf(Boat)];
  return Math.max(-Infinity, ...cars.map(({ position }) => position.x));
}

/** Makes an entity appear at `x` in the place of the last one. */
type Leap = (x: number, leap: number) => Promise<Mine>;

/**
 * Drives at 200 m/s, and leaps each 0.33 s. Returns by how much the way that the room has shown exceeds what the
 * time allows, m.
 */
async function excessOf(leap: Leap, stepM: (fromM: number) => number): Promise<number> {
  let [mine, leaps, mostM] = [await leap(0, 0), 1, 0];
  const startMs = stage.scheduler.nowMs();
  const seconds = (): number => (stage.scheduler.nowMs() - startMs) / 1000;
  while (seconds() < SECONDS) {
    for (let frame = 0; frame < 11; frame++) {
      mine.position.x += (200 * FRAME_MS) / 1000;
      await stage.advance(FRAME_MS);
      mostM = Math.max(mostM, farthest());
    }
    mine = await leap(stepM(Math.max(0, farthest())), leaps++);
  }
  return Math.max(mostM, farthest()) - allowedM(seconds());
}

async function player(): Promise<StagePlayer> {
  return stage.join({ network: { delayMs: 5 } });
}

/** Ends an entity, waits, and begins the next one. */
function againOf(of: StagePlayer, kindOf: (leap: number) => Kind = () => Car, pauseMs = 0): Leap {
  let mine: Mine | undefined;
  return async (x, leap) => {
    if (mine) of.room.despawn(mine);
    await stage.advance(pauseMs);
    mine = of.room.spawn(kindOf(leap), { position: { x, y: 0 } }) as unknown as Mine;
    return mine;
  };
}

/** Leaps ahead of the last place: as far as at 200 m/s, a little, or as far as the budget of a new entity allows. */
const steps = [
  ["as far as 200 m/s", (fromM: number) => fromM + 66],
  ["by 31 m", (fromM: number) => fromM + 31],
  ["by 20 m", (fromM: number) => fromM + 20],
] as const;

describe("a player who owns again and again does not get farther than with one entity", () => {
  test.each(steps)("%s: at once", async (_, stepM) => {
    stage = roomStage(OpenRoom);
    expect(await excessOf(againOf(await player()), stepM)).toBeLessThanOrEqual(0);
    expect(stage.room.breaches.length).toBeGreaterThan(0);
  });

  test.each(steps)("%s: after a pause without an entity", async (_, stepM) => {
    stage = roomStage(OpenRoom);
    const leap = againOf(await player(), () => Car, 250);
    expect(await excessOf(leap, stepM)).toBeLessThanOrEqual(0);
  });

  test("with the same number for all, and by hand", async () => {
    stage = roomStage(OpenRoom);
    const raw = await RawPlayer.join(stage);
    const { name, schemaHash } = Boat;
    const startMs = stage.scheduler.nowMs();
    for (let x = 0; x < 1600; x += 66) {
      const state = writeWholeState(
        planState(Boat, { tickHz: 60, hasRates: true }),
        3,
        new Float32Array([x, 0]),
      );
      raw.tell({ type: "own", localId: 3, name, schemaHash, state, tickHz: 60 });
      await stage.advance(330);
    }
    expect(farthest()).toBeLessThanOrEqual(allowedM((stage.scheduler.nowMs() - startMs) / 1000));
    expect(stage.room.breaches.length).toBeGreaterThan(10);
    expect([...stage.room.entitiesOf(Boat)]).toHaveLength(1);
  });

  test.each(steps)("%s: with two kinds by turns", async (_, stepM) => {
    stage = roomStage(OpenRoom);
    const leap = againOf(await player(), (leaps) => (leaps % 2 === 0 ? Car : Boat));
    expect(await excessOf(leap, stepM)).toBeLessThanOrEqual(FIRST_LEAP_M);
  });

  test.each(steps)("%s: with two entities by turns", async (_, stepM) => {
    stage = roomStage(OpenRoom);
    const of = await player();
    const owned: Mine[] = [];
    const leap: Leap = async (x) => {
      if (owned.length === 2) of.room.despawn(owned.shift()!);
      owned.push(of.room.spawn(Car, { position: { x, y: 0 } }) as unknown as Mine);
      await stage.advance(20);
      return owned.at(-1)!;
    };
    expect(await excessOf(leap, stepM)).toBeLessThanOrEqual(FIRST_LEAP_M);
  });

  test.each(steps)("%s: after a cut of its line", async (_, stepM) => {
    stage = roomStage(OpenRoom);
    const of = await player();
    const again = againOf(of);
    const leap: Leap = async (x, leaps) => {
      if (leaps > 0) of.offline();
      of.online();
      const mine = await again(x, leaps);
      await stage.advance(leaps > 0 ? 1500 : 0);
      return mine;
    };
    expect(await excessOf(leap, stepM)).toBeLessThanOrEqual(0);
    expect(stage.server.reports()[0]!.counters.reconnects).toBeGreaterThan(2);
  });

  test.each(steps)("%s: after a reload", async (_, stepM) => {
    stage = roomStage(OpenRoom);
    let of = await player();
    const leap: Leap = async (x, leaps) => {
      if (leaps > 0) of = await stage.reload(of);
      return againOf(of)(x, leaps);
    };
    expect(await excessOf(leap, stepM)).toBeLessThanOrEqual(0);
  });
});

describe("an honest player", () => {
  const own = (of: StagePlayer, x: number): Mine =>
    of.room.spawn(Car, { position: { x, y: 0 } }) as unknown as Mine;

  it("begins again as far away as it could have driven meanwhile", async () => {
    stage = roomStage(OpenRoom);
    const of = await player();
    of.room.despawn(own(of, 100));
    await stage.advance(5000);
    own(of, 395);
    await stage.advance(100);
    expect(farthest()).toBeCloseTo(395, 1);
    expect(stage.room.breaches).toEqual([]);
  });

  it("begins where it likes with each of the entities that it may own at once", async () => {
    stage = roomStage(OpenRoom);
    const of = await player();
    const [a, b] = [own(of, -1000), own(of, 1000)];
    await stage.advance(100);
    of.room.despawn(a);
    of.room.despawn(b);
    // Each goes on from the place that is nearest.
    own(of, 1010);
    own(of, -1010);
    await stage.advance(100);
    expect([...stage.room.entitiesOf(Car)].map(({ position }) => Math.round(position.x))).toEqual([
      1010, -1010,
    ]);
    expect(stage.room.breaches).toEqual([]);
  });

  it("begins where it likes after the room has ended its entity", async () => {
    stage = roomStage(OpenRoom);
    const of = await player();
    own(of, -1000);
    await stage.advance(100);
    for (const car of [...stage.room.entitiesOf(Car)]) stage.room.despawn(car);
    await stage.advance(100);
    own(of, 1000);
    await stage.advance(100);
    expect(farthest()).toBeCloseTo(1000, 1);
    expect(stage.room.breaches).toEqual([]);
  });

  it("is put where its last entity ended, unless the game allows the new place", async () => {
    stage = roomStage(OpenRoom);
    const of = await player();
    of.room.despawn(own(of, 100));
    const back = own(of, 1000);
    await stage.advance(100);
    expect([farthest(), back.position.x]).toEqual([100, 100]);
    expect(stage.room.breaches).toEqual(["spawn at 1000"]);
    stage.room.answer = "count";
    of.room.despawn(back);
    own(of, 1000);
    await stage.advance(100);
    expect(farthest()).toBeCloseTo(1000, 1);
    stage.room.answer = "kick";
    of.room.despawn([...of.room.entities(Car)].find(({ isMine }) => isMine)!);
    own(of, 0);
    await stage.advance(100);
    expect(stage.room.players.size).toBe(0);
  });
});
