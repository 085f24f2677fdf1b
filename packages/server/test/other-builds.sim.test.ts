import {
  INPUT_COLUMNS,
  describeColumns,
  planState,
  writePeerPayload,
  writeWholeState,
  type Field,
} from "@paceline/protocol";
import {
  Room,
  defineEntity,
  defineInput,
  enumOf,
  flag,
  scalar,
  string,
  vec2,
  type PlayerEntities,
} from "@paceline/server";
import type { Entity, EntityDefinition, NetError, Room as ClientRoom } from "@paceline/client";
import { silentLog } from "@paceline/relay";
import { roomStage, type RoomStage } from "@paceline/testkit/room";
import { Session } from "@paceline/transport";
import { afterEach, describe, expect, test, vi } from "vitest";
import { RawPlayer } from "./raw-player.js";

// A room and its players are of two builds. Each reads by name those fields of the other's states that both
// have.

const position = vec2({ range: [-500, 500], precision: 0.01, unit: "m" });

const Old = defineEntity(
  "sled",
  {
    position,
    heat: scalar({ range: [0, 1], precision: 0.01 }),
    gear: enumOf(["off", "slow"]),
    horn: flag(),
    driver: string({ maxBytes: 8 }),
    title: flag(),
  },
  { motion: "velocity" },
);

/** The later build: other order, wider bounds, no horn, a field of another kind, and two new fields. */
const New = defineEntity(
  "sled",
  {
    mass: scalar({ range: [0, 900], precision: 1, default: 80 }),
    driver: string({ maxBytes: 20 }),
    heat: scalar({ range: [-2, 2], precision: 0.001 }),
    gear: enumOf(["off", "slow", "fast"]),
    position: vec2({ range: [-2000, 2000], precision: 0.02, unit: "m" }),
    title: string({ maxBytes: 9, default: "none" }),
    note: string({ maxBytes: 9, default: "-" }),
  },
  { motion: "velocity" },
);
const Lamp = defineEntity("lamp", { brightness: scalar({ range: [0, 1], precision: 0.01 }) });

/** A kind that shares no field with the others. */
const Strange = defineEntity("sled", { speed: scalar({ range: [0, 1], precision: 0.1 }) });

function roomOf(Sled: EntityDefinition): new () => Room {
  return class extends Room {
    override readonly tickHz = 60;
    override readonly entities = [Lamp as unknown as EntityDefinition, Sled];
    override readonly playerEntities: readonly PlayerEntities[] = [
      { definition: Sled, most: 2, limits: { maxStep: 50 } },
    ];
  };
}

const staged = (Sled: EntityDefinition): RoomStage<Room> => roomStage(roomOf(Sled), { log: silentLog });
let stage: RoomStage<Room>;
afterEach(async () => {
  await stage.stop();
  vi.restoreAllMocks();
});

interface Guest {
  readonly room: ClientRoom;
  readonly errors: NetError[];
}

async function join(): Promise<Guest> {
  const { room } = await stage.join({ network: { delayMs: 20 } });
  const errors: NetError[] = [];
  room.onError((error) => errors.push(error));
  return { room, errors };
}

/** Advances the clock, and waits for code that is fetched on demand. */
async function pass(ms: number): Promise<void> {
  for (let left = ms; left > 0; left -= 100) {
    await stage.advance(Math.min(left, 100));
    await vi.dynamicImportSettled();
  }
}

function othersOf<D extends EntityDefinition>(room: ClientRoom, kind: D): Entity<D>[] {
  return [...room.entities(kind)].filter(({ isMine }) => !isMine);
}

/** Counts the reliable payloads of this kind that all sessions send. */
function countSent(kind: number): () => number {
  const send = vi.spyOn(Session.prototype, "sendReliable");
  return () => send.mock.calls.filter(([payload]) => payload[0] === kind).length;
}

describe("states of the room", () => {
  test("[WF17] [WF33] are read by name by a page of an older build, which gets one error", async () => {
    stage = staged(New);
    const { room, errors } = await join();
    const hot = stage.room.spawn(New, { heat: -1.5, gear: "fast", driver: "a long name", mass: 300 });
    const mild = stage.room.spawn(New, { heat: 0.5, gear: "slow", driver: "bob", position: { x: 1, y: 2 } });
    expect(othersOf(room, Old)).toEqual([]);
    await pass(300);
    for (let step = 1; step <= 60; step++) {
      hot.position.set(step * 16, 7);
      mild.position.set(1, step / 10);
      await stage.advance(1000 / 60);
    }
    await pass(2500);
    const [first, second] = othersOf(room, Old);
    // Values stay in the reader's own range. A name or a text that the reader's field cannot hold becomes the
    // default.
    expect(first!.position).toMatchObject({ x: 500, y: 7 });
    expect([first!.heat, first!.gear, first!.driver, first!.horn, first!.title]).toEqual([
      0,
      "off",
      "",
      false,
      false,
    ]);
    expect(second!.position.y).toBeCloseTo(6, 1);
    expect([second!.heat, second!.gear, second!.driver]).toEqual([0.5, "slow", "bob"]);
    expect(errors.map(({ code }) => code)).toEqual(["schema/mismatch"]);
    expect(errors[0]!.message).toMatch(
      /^the room describes "sled" differently \(.*no "horn".*"title" as string.*"mass" besides/,
    );
    stage.room.despawn(hot);
    await pass(300);
    expect(othersOf(room, Old)).toEqual([second]);
    expect(room.drops.toRecord()).toEqual({});
  });

  test("[WF17] [WF33] are read by a page of a newer build, beside kinds that both have alike", async () => {
    stage = staged(Old);
    const { room, errors } = await join();
    stage.room.spawn(Old, {
      heat: 0.25,
      gear: "slow",
      driver: "ann",
      horn: true,
      position: { x: 30, y: -3 },
    });
    stage.room.spawn(Lamp, { brightness: 0.5 });
    expect([othersOf(room, New), othersOf(room, Lamp)]).toEqual([[], []]);
    await pass(500);
    const [sled] = othersOf(room, New);
    expect(sled!.position).toMatchObject({ x: 30, y: -3 });
    expect([sled!.heat, sled!.gear, sled!.driver]).toEqual([0.25, "slow", "ann"]);
    // Fields that the room lacks, or has as another kind, keep their defaults.
    expect([sled!.mass, sled!.title, sled!.note]).toEqual([80, "none", "-"]);
    expect(othersOf(room, Lamp)[0]!.brightness).toBe(0.5);
    expect(errors.map(({ code }) => code)).toEqual(["schema/mismatch"]);
  });

  test("[WF17] are not read if the builds have no field in common, which is reported; other kinds are", async () => {
    stage = staged(New);
    const { room, errors } = await join();
    stage.room.spawn(New);
    stage.room.spawn(Lamp, { brightness: 0.5 });
    expect([othersOf(room, Strange), othersOf(room, Lamp)]).toEqual([[], []]);
    await pass(500);
    expect([othersOf(room, Strange).length, othersOf(room, Lamp).length]).toEqual([0, 1]);
    expect(errors.map(({ message }) => message)).toEqual([
      expect.stringMatching(/^the room describes "sled" differently \(no "speed"/),
    ]);
    expect(room.drops.toRecord()).toEqual({});
  });

  test("[WF17] are not described to pages of the room's build", async () => {
    const asked = countSent(0x0a);
    stage = staged(Old);
    const { room, errors } = await join();
    stage.room.spawn(Old, { heat: 0.25 });
    room.spawn(Old, { heat: 0.75 });
    await pass(500);
    expect([...room.entities(Old)].map(({ heat }) => heat).sort()).toEqual([0.25, 0.75]);
    expect([asked(), errors]).toEqual([0, []]);
  });
});

describe("states of a player's own entities", () => {
  test("[WF36] of an older build are read by name, and fields that it lacks have their defaults", async () => {
    const described = countSent(0x0a);
    stage = staged(New);
    const [older, same] = [await join(), await join()];
    expect(othersOf(same.room, New)).toEqual([]);
    const mine = older.room.spawn(Old, {
      heat: 0.25,
      gear: "slow",
      driver: "ann",
      horn: true,
      position: { x: 3, y: 4 },
    });
    await pass(500);
    const [known] = [...stage.room.entitiesOf(New)];
    expect([known!.position.x, known!.position.y]).toEqual([3, 4]);
    expect([known!.heat, known!.gear, known!.driver]).toEqual([0.25, "slow", "ann"]);
    expect([known!.mass, known!.title, known!.note]).toEqual([80, "none", "-"]);
    for (let step = 1; step <= 60; step++) {
      mine.position.set(3 + step / 4, 4);
      mine.driver = "eve";
      mine.heat = 0.5;
      await stage.advance(1000 / 60);
    }
    await pass(500);
    expect(known!.position.x).toBeCloseTo(18, 1);
    expect([known!.driver, known!.heat, known!.mass, known!.title]).toEqual(["eve", 0.5, 80, "none"]);
    const [seen] = othersOf(same.room, New);
    expect([seen!.driver, seen!.position.x]).toEqual(["eve", expect.closeTo(18, 1)]);
    const told = ({ errors }: Guest): NetError[] => errors.filter(({ code }) => code === "schema/mismatch");
    expect([told(older).length, told(same).length]).toEqual([1, 0]);
    expect(described()).toBe(1);
    older.room.despawn(mine);
    await pass(300);
    expect([...stage.room.entitiesOf(New)]).toEqual([]);
    expect(stage.server.health().drops).toEqual({});
  });

  test("[WF36] of a newer build stay in the room's bounds", async () => {
    stage = staged(Old);
    const newer = await join();
    newer.room.spawn(New, { heat: -1.5, gear: "fast", driver: "a long name", position: { x: 1800, y: 1 } });
    newer.room.spawn(New, { heat: 0.5, gear: "slow", driver: "bob", title: "sir" });
    await pass(500);
    const [first, second] = [...stage.room.entitiesOf(Old)];
    expect([first!.position.x, first!.heat, first!.gear, first!.driver]).toEqual([500, 0, "off", ""]);
    expect([second!.heat, second!.gear, second!.driver, second!.title]).toEqual([0.5, "slow", "bob", false]);
    expect(newer.errors.map(({ code }) => code)).toEqual(["schema/mismatch"]);
  });

  test("[WF34] are corrected in the fields that both have; the others stay the player's", async () => {
    stage = staged(New);
    const { room } = await join();
    const mine = room.spawn(Old, { heat: 0.25, horn: true, position: { x: 3, y: 4 } });
    await pass(500);
    for (let jump = 0; jump < 2; jump++) {
      mine.position.set(400, 400);
      await pass(500);
      expect([mine.position.x, mine.position.y]).toEqual([expect.closeTo(3, 1), expect.closeTo(4, 1)]);
      expect([mine.heat, mine.horn]).toEqual([expect.closeTo(0.25, 2), true]);
    }
    expect(stage.server.reports()[0]!.counters.breaches).toBeGreaterThanOrEqual(2);
    expect(room.drops.toRecord()).toEqual({});
  });

  test("[WF36] of a build without any of the room's fields are refused", async () => {
    stage = staged(New);
    const { room, errors } = await join();
    room.spawn(Strange);
    await pass(500);
    expect(errors.map(({ code }) => code).sort()).toEqual(["entity/refused", "schema/mismatch"]);
    expect([...stage.room.entitiesOf(New)]).toEqual([]);
  });

  test("[WF36] come again after a reload", async () => {
    stage = staged(New);
    const player = await stage.join();
    player.room.spawn(Old, { heat: 0.25 });
    await pass(500);
    const next = await stage.reload(player);
    const mine = next.room.spawn(Old, { heat: 0.5 });
    await pass(500);
    expect([...stage.room.entitiesOf(New)].map(({ heat }) => heat)).toEqual([0.5]);
    next.room.despawn(mine);
    await pass(300);
    expect([...stage.room.entitiesOf(New)]).toEqual([]);
  });
});

describe("a participant that sends descriptions by hand", () => {
  const SLED = 1;
  const described = (raw: RawPlayer): number => raw.replies.filter(({ kind }) => kind === "columns").length;
  const columns = (definition: EntityDefinition, kind = SLED): Uint8Array =>
    writePeerPayload({ kind: "columns", stream: kind, columns: describeColumns(definition) });

  async function say(raw: RawPlayer, ...payloads: Uint8Array[]): Promise<void> {
    for (const payload of payloads) raw.session.sendReliable(payload);
    await stage.advance(50);
  }

  async function own(raw: RawPlayer, definition: EntityDefinition): Promise<unknown> {
    const plan = planState(definition, { tickHz: 60, hasRates: true });
    const state = writeWholeState(plan, 3, new Float32Array(definition.components.length));
    const { name, schemaHash } = definition;
    raw.tell({ type: "own", localId: 3, name, schemaHash, state, tickHz: 60 });
    await stage.advance(50);
    return raw.heard.at(-1);
  }

  test("[WF17] gets one answer for each kind; repeated descriptions are dropped", async () => {
    stage = staged(New);
    const raw = await RawPlayer.join(stage);
    await say(raw, columns(Old), columns(Old), columns(Strange), columns(Lamp, 0));
    expect(described(raw)).toBe(2);
    expect(stage.server.health().drops["rate-limit"]).toBe(2);
    expect(await own(raw, Old)).toMatchObject({ type: "granted", localId: 3 });
  });

  test("[WF17] of no fields, or of kinds that the room lacks, is malformed", async () => {
    stage = staged(New);
    const raw = await RawPlayer.join(stage);
    const bad = writePeerPayload({ kind: "columns", stream: SLED, columns: Uint8Array.of(9, 9, 9) });
    await say(raw, columns(Old, 7), bad);
    expect([described(raw), stage.server.health().drops["bad-message"]]).toEqual([0, 2]);
    expect(await own(raw, Old)).toMatchObject({ type: "refused", what: "entity" });
    expect(raw.session.isClosed).toBe(false);
  });

  test("[WF17] of far larger states than the room's owns none: they would exhaust the room's memory", async () => {
    const vectors = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`field${index}`, position]));
    const wide: Record<string, Field> = { ...vectors, heat: scalar({ range: [0, 1], precision: 0.1 }) };
    const texts = Array.from({ length: 3 }, (_, index) => [`text${index}`, string({ maxBytes: 250 })]);
    const long: Record<string, Field> = { ...Object.fromEntries(texts), heat: wide.heat! };
    for (const fields of [wide, long]) {
      stage = staged(New);
      const raw = await RawPlayer.join(stage);
      const Large = defineEntity("sled", fields) as unknown as EntityDefinition;
      await say(raw, columns(Large));
      expect(described(raw)).toBe(1);
      expect(await own(raw, Large)).toMatchObject({ type: "refused", what: "entity" });
    }
  });
});

describe("inputs of a player", () => {
  const OldDrive = defineInput({
    throttle: scalar({ range: [-1, 1], precision: 0.01 }),
    horn: flag(),
    gear: enumOf(["off", "slow"]),
    lights: flag(),
  });
  /** The later build: other order and bounds, no horn, a field of another kind, and a new one. */
  const NewDrive = defineInput({
    boost: scalar({ range: [1, 9], precision: 1 }),
    gear: enumOf(["off", "slow", "fast"]),
    lights: scalar({ range: [0, 1], precision: 0.5 }),
    throttle: scalar({ range: [-2, 2], precision: 0.001 }),
  });
  const StrangeDrive = defineInput({ jump: flag() });

  class Track extends Room {
    override readonly inputs = NewDrive;
    override readonly tickHz = 60;
    override readonly entities = [Lamp];
    readonly heard: (readonly number[])[] = [];

    override onTick(): void {
      for (const player of this.players.values()) {
        const { throttle, boost, gear, lights } = player.input as unknown as Record<string, number>;
        this.heard.push([throttle!, boost!, ["off", "slow", "fast"].indexOf(String(gear)), lights!]);
      }
    }
  }

  const newest = (track: Track): number[] =>
    track.heard.at(-1)!.map((value) => Math.round(value * 100) / 100);

  test("[WF17] [WF32] of an older build are read by name, and what it lacks is as of an idle player", async () => {
    const track = roomStage(Track, { log: silentLog });
    stage = track;
    const { room, errors } = await join();
    const input = room.input(OldDrive);
    Object.assign(input, { throttle: 0.75, gear: "slow", horn: true, lights: true });
    await pass(1500);
    expect(newest(track.room)).toEqual([0.75, 1, 1, 0]);
    input.throttle = -0.5;
    input.gear = "off";
    await pass(500);
    expect(newest(track.room)).toEqual([-0.5, 1, 0, 0]);
    expect(errors.map(({ code }) => code)).toEqual(["schema/mismatch"]);
    expect(errors[0]!.message).toMatch(
      /^the room describes "input" differently \(.*no "horn".*"boost" besides/,
    );
    expect(stage.server.reports()[0]!.counters.malformed).toBe(0);
    expect(() => room.input(StrangeDrive)).toThrow("the room takes other inputs");
  });

  test("[WF32] of the room's build are described to nobody", async () => {
    const described = countSent(0x0a);
    const track = roomStage(Track, { log: silentLog });
    stage = track;
    const { room, errors } = await join();
    Object.assign(room.input(NewDrive), { throttle: 1.5, boost: 7, gear: "fast", lights: 0.5 });
    await pass(1000);
    expect(newest(track.room)).toEqual([1.5, 7, 2, 0.5]);
    expect([errors, described()]).toEqual([[], 0]);
  });

  test("[WF17] [WF32] of a build without any of the room's fields are not sent, which is reported", async () => {
    const track = roomStage(Track, { log: silentLog });
    stage = track;
    const { room, errors } = await join();
    room.input(StrangeDrive).jump = true;
    await pass(1000);
    expect(newest(track.room)).toEqual([0, 1, 0, 0]);
    expect(errors.map(({ code }) => code)).toEqual(["schema/mismatch"]);
    expect(stage.server.reports()[0]!.counters).toMatchObject({ inputs: 0, malformed: 0 });
  });

  test("[WF17] [WF32] are described once; what describes no inputs is malformed", async () => {
    const track = roomStage(Track, { log: silentLog });
    stage = track;
    const say = (player: RawPlayer, columns: Uint8Array) =>
      player.session.sendReliable(writePeerPayload({ kind: "columns", stream: INPUT_COLUMNS, columns }));
    const [first, second] = [await RawPlayer.join(stage), await RawPlayer.join(stage)];
    for (let count = 0; count < 3; count++) say(first, describeColumns(OldDrive.definition));
    await pass(200);
    expect(first.replies).toEqual([
      {
        kind: "columns",
        stream: INPUT_COLUMNS,
        columns: describeColumns(NewDrive.definition as EntityDefinition),
      },
    ]);
    const wide = Object.fromEntries(
      Array.from({ length: 20 }, (_, index) => [`f${index}`, scalar({ range: [0, 60_000], precision: 1 })]),
    );
    const throttle = scalar({ range: [0, 1], precision: 0.1 });
    const others = [
      new Uint8Array(0),
      Uint8Array.of(9, 9, 9),
      describeColumns(defineEntity("long", { throttle, ...wide })),
      describeColumns(defineEntity("moves", { throttle, position }, { motion: "velocity" })),
      describeColumns(defineEntity("says", { throttle, word: string({ maxBytes: 4 }) })),
    ];
    for (const [index, columns] of others.entries()) {
      const raw = index === 0 ? second : await RawPlayer.join(stage);
      say(raw, columns);
      await pass(100);
      expect(raw.replies).toEqual([]);
    }
    expect(stage.server.reports()[0]!.counters.malformed).toBe(others.length);
  });
});
