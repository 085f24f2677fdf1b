/**
 * What the types of messages, options and entities admit arrives as JSON would write and read it, in rooms between
 * players and in rooms with an authority: values are drawn, and go through whole clients and a whole server.
 */
import {
  angle,
  bytes,
  defineEntity,
  enumOf,
  flag,
  group,
  int,
  list,
  quat,
  scalar,
  string,
  uint,
  vec2,
  type Room as ClientRoom,
} from "@paceline/client";
import { Room, type Player } from "@paceline/server";
import { roomStage, type RoomStage, preloadRooms } from "@paceline/testkit/room";
import * as fc from "fast-check";
import { afterEach, describe, expect, test } from "vitest";

const SEED = 40;
const COUNT = 150;
/** An event must fit one packet. */
const MAX_EVENT_CHARACTERS = 500;
/** Half of the coarsest precision, and a little. */
const MAX_ROUNDING = 0.0051;

const isText = (text: string): boolean => !/\p{Surrogate}/u.test(text);
const text = fc.string({ unit: "grapheme", maxLength: 12 });
const key = fc
  .string({ unit: "grapheme", maxLength: 6 })
  .filter((name) => name !== "__proto__" && isText(name));
const number = fc.double({ noNaN: true, noDefaultInfinity: true });

/** Any message: plain data, with undefined in any place. */
const message: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    fc.constantFrom<unknown>(
      undefined,
      null,
      true,
      false,
      "",
      0,
      -0,
      1.5,
      2 ** 53,
      -(2 ** 31),
      1e300,
      5e-324,
    ),
    number,
    text.filter(isText),
    fc.uint8Array({ maxLength: 12 }),
    fc.array(tie("value"), { maxLength: 4 }),
    fc.dictionary(key, tie("value"), { maxKeys: 4, noNullPrototype: true }),
  ),
})).value;

/** Returns the value as its receiver reads it: JSON with bytes. */
function asRead(value: unknown): unknown {
  if (value === undefined) return null;
  if (typeof value === "number") return value === 0 ? 0 : value;
  if (Array.isArray(value)) return value.map(asRead);
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const members = Object.entries(value).filter(([, member]) => member !== undefined);
  return Object.fromEntries(members.map(([name, member]) => [name, asRead(member)]));
}

const drawn = <Value>(values: fc.Arbitrary<Value>, numRuns = COUNT): Value[] =>
  fc.sample(values, { seed: SEED, numRuns });
const drawnMessages = (): unknown[] => drawn(message);
const drawnEvents = (): unknown[] =>
  drawnMessages().filter((value) => (JSON.stringify(value) ?? "").length < MAX_EVENT_CHARACTERS);

/** Options of a join; the types admit undefined where a member is optional. */
const options = fc.dictionary(
  fc
    .string({ unit: "grapheme", minLength: 1, maxLength: 12 })
    .filter((name) => name !== "__proto__" && isText(name)),
  fc.oneof(text.filter(isText), number, fc.boolean(), fc.constantFrom(-0, "", undefined)),
  { maxKeys: 8, noNullPrototype: true },
);

const point = fc.record({ x: number0(-100, 100), y: number0(-100, 100) });
const Thing = defineEntity("thing", {
  tag: uint({ range: [0, 65_535] }),
  position: vec2({ range: [-100, 100], precision: 0.01 }),
  speed: scalar({ range: [-5, 5], precision: 0.001 }),
  heading: angle({ precision: 0.001, unit: "rad" }),
  turn: quat({ precision: 0.001, unit: "rad" }),
  score: int({ range: [-1000, 1000] }),
  isOn: flag(),
  mode: enumOf(["idle", "run", "fall"]),
  label: string({ maxBytes: 30 }),
  data: bytes({ maxBytes: 9 }),
  marks: list(uint({ range: [0, 9] }), 3),
  wheel: group({ grip: scalar({ range: [0, 1], precision: 0.01 }), isFlat: flag() }),
});
const optional = <Value>(values: fc.Arbitrary<Value>) => fc.option(values, { nil: undefined });
const spawnValues = fc.record(
  {
    position: optional(point),
    speed: optional(number0(-5, 5)),
    heading: optional(number0(-3.1, 3.1)),
    turn: optional(fc.constantFrom({ x: 0, y: 0, z: 0, w: 1 }, { x: 0.6, y: 0, z: 0, w: 0.8 })),
    score: optional(fc.integer({ min: -1000, max: 1000 })),
    isOn: optional(fc.boolean()),
    mode: optional(fc.constantFrom("idle", "run", "fall")),
    label: optional(fc.string({ unit: "grapheme", maxLength: 4 }).filter(isShort)),
    data: optional(fc.uint8Array({ maxLength: 9 })),
    marks: optional(fc.tuple(...[1, 2, 3].map(() => fc.integer({ min: 0, max: 9 })))),
    wheel: optional(
      fc.record({ grip: optional(number0(0, 1)), isFlat: optional(fc.boolean()) }, { requiredKeys: [] }),
    ),
  },
  { requiredKeys: [] },
);

function number0(min: number, max: number): fc.Arbitrary<number> {
  return fc.double({ min, max, noNaN: true });
}

function isShort(label: string): boolean {
  return isText(label) && new TextEncoder().encode(label).length <= 30;
}

type ThingValues = Omit<EntityFields, "tag">;
interface EntityFields {
  readonly tag: number;
  readonly position: { readonly x: number; readonly y: number };
  readonly speed: number;
  readonly heading: number;
  readonly turn: { readonly x: number; readonly y: number; readonly z: number; readonly w: number };
  readonly score: number;
  readonly isOn: boolean;
  readonly mode: string;
  readonly label: string;
  readonly data: Uint8Array;
  readonly marks: ArrayLike<number>;
  readonly wheel: { readonly grip: number; readonly isFlat: boolean };
}

/** Returns a thing's values as plain data. */
function valuesOf({ position, turn, marks, wheel, data, ...rest }: EntityFields): ThingValues {
  const { speed, heading, score, isOn, mode, label } = rest;
  const { x, y, z, w } = turn;
  return {
    ...{ speed, heading, score, isOn, mode, label, data: data.slice() },
    position: { x: position.x, y: position.y },
    turn: { x, y, z, w },
    marks: [0, 1, 2].map((at) => marks[at]!),
    wheel: { grip: wheel.grip, isFlat: wheel.isFlat },
  };
}

/** Returns the places at which shown values differ: numbers by more than the precision of their fields. */
function differences(shown: unknown, given: unknown, place: string): string[] {
  if (given === undefined) return [];
  const differs = `${place} is ${JSON.stringify(shown)} instead of ${JSON.stringify(given)}`;
  if (typeof given === "number") return Math.abs((shown as number) - given) <= MAX_ROUNDING ? [] : [differs];
  if (given instanceof Uint8Array) return String(given) === String(shown) ? [] : [differs];
  if (typeof given !== "object") return given === shown ? [] : [differs];
  return Object.entries(given as object).flatMap(([name, member]) =>
    differences((shown as Record<string, unknown>)[name], member, `${place}.${name}`),
  );
}

/** Expects that a room shows the things with the values that they were given, and the defaults of the others. */
function expectShown(room: Pick<ClientRoom, "entities">, given: readonly object[], defaults: unknown): void {
  const shown = new Map([...room.entities(Thing)].map((thing) => [thing.tag, thing]));
  expect(shown.size).toBe(given.length);
  for (const [id, values] of given.entries()) {
    const left = Object.entries(defaults as object).filter(
      ([name]) => (values as Record<string, unknown>)[name] === undefined,
    );
    const wanted = { ...Object.fromEntries(left), ...values };
    expect(differences(valuesOf(shown.get(id)!), wanted, `thing ${id}`)).toEqual([]);
  }
}

class Echo extends Room {
  override readonly entities = [Thing];
  override readonly playerEntities = [{ definition: Thing, most: 64 }];
  override readonly messageLimits = { perSecond: 1000, burst: 1000 };
  readonly heard: unknown[] = [];
  readonly joined: unknown[] = [];

  override onCreate(): void {
    this.onMessage("value", (player, value) => {
      this.heard.push(value);
      this.send(player, "value", value);
    });
    this.onRequest("value", (_player, value) => {
      this.heard.push(value);
      return value;
    });
  }

  override onJoin(player: Player): void {
    this.joined.push(player.options);
  }
}

let stage: RoomStage<Echo>;
afterEach(() => stage.stop());

/** Sends values one after the other, slowly enough for every limit of rates. */
async function each(values: readonly unknown[], send: (value: unknown) => unknown): Promise<void> {
  for (const value of values) {
    await send(value);
    await stage.advance(40);
  }
  await stage.advance(500);
}

function heardOf(room: ClientRoom, type = "value"): unknown[] {
  const heard: unknown[] = [];
  room.onMessage(type, (value) => heard.push(value));
  return heard;
}

async function things(count: number): Promise<object[]> {
  await preloadRooms();
  return drawn(spawnValues, count);
}

describe("between players", () => {
  async function met(): Promise<readonly [ClientRoom, ClientRoom, ClientRoom]> {
    stage = roomStage<Echo>({ maxPlayers: 4 }, { seed: SEED });
    const joined = [await stage.join(), await stage.join(), await stage.join()] as const;
    await stage.advance(1000);
    return [joined[0].room, joined[1].room, joined[2].room];
  }

  test("messages and bulk arrive as they were written, at one and at all", async () => {
    const [one, two, three] = await met();
    const [atTwo, atThree] = [heardOf(two), heardOf(three)];
    const values = drawnMessages();
    const peer = one.peers.find(({ number: of }) => of === two.myNumber)!;
    await each(values, (value) => one.send("value", value));
    await each(values, (value) => one.send("value", value, peer));
    await each(values, (value) => one.send("value", value, { class: "bulk" }));
    const expected = values.map(asRead);
    expect(atTwo).toStrictEqual([...expected, ...expected, ...expected]);
    expect(atThree).toStrictEqual([...expected, ...expected]);
  });

  test("events arrive as they were written", async () => {
    const [one, two, three] = await met();
    const [atTwo, atThree] = [heardOf(two), heardOf(three)];
    const values = drawnEvents();
    await each(values, (value) => one.sendEvent("value", value));
    expect(atTwo).toStrictEqual(values.map(asRead));
    expect(atThree).toStrictEqual(values.map(asRead));
  });

  test("requests and their replies arrive as they were written", async () => {
    const [one, two] = await met();
    const asked: unknown[] = [];
    two.onRequest("value", (value) => {
      asked.push(value);
      return value;
    });
    const peer = one.peers.find(({ number: of }) => of === two.myNumber)!;
    const values = drawnMessages();
    const replies: unknown[] = [];
    await each(values, async (value) => {
      const reply = one.request("value", value, peer);
      replies.push(await stage.until(reply));
    });
    expect(asked).toStrictEqual(values.map(asRead));
    expect(replies).toStrictEqual(values.map(asRead));
  });

  test("entities have the values with which they were spawned", async () => {
    const [one, two] = await met();
    const given = await things(60);
    const defaults = valuesOf(one.spawn(Thing, { tag: given.length }));
    for (const [id, values] of given.entries()) one.spawn(Thing, { ...values, tag: id });
    await stage.advance(3000);
    for (const room of [one, two]) expectShown(room, [...given, {}], defaults);
  });
});

describe("with an authority", () => {
  async function joined(): Promise<readonly [ClientRoom, ClientRoom]> {
    stage = roomStage(Echo, { seed: SEED });
    const players = [await stage.join(), await stage.join()] as const;
    await stage.advance(500);
    return [players[0].room, players[1].room];
  }

  test("messages arrive as they were written, and come back so", async () => {
    const [one] = await joined();
    const back = heardOf(one);
    const values = drawnMessages();
    await each(values, (value) => one.send("value", value));
    expect(stage.room.heard).toStrictEqual(values.map(asRead));
    expect(back).toStrictEqual(values.map(asRead));
  });

  test("events arrive as they were written, both ways", async () => {
    const [one, two] = await joined();
    const values = drawnEvents();
    await each(values, (value) => one.sendEvent("value", value));
    expect(stage.room.heard).toStrictEqual(values.map(asRead));
    const [atOne, atTwo] = [heardOf(one, "news"), heardOf(two, "news")];
    const [first] = [...stage.room.players.values()];
    await each(values, (value) => stage.room.sendEvent(first!, "news", value));
    await each(values, (value) => stage.room.broadcast("news", value));
    expect(atOne).toStrictEqual([...values, ...values].map(asRead));
    expect(atTwo).toStrictEqual(values.map(asRead));
  });

  test("requests and their replies arrive as they were written, both ways", async () => {
    const [one] = await joined();
    const values = drawnMessages();
    const replies: unknown[] = [];
    await each(values, async (value) => {
      replies.push(await stage.until(one.request("value", value)));
    });
    expect(stage.room.heard).toStrictEqual(values.map(asRead));
    expect(replies).toStrictEqual(values.map(asRead));
    one.onRequest("value", (value) => value);
    const [first] = [...stage.room.players.values()];
    const answers: unknown[] = [];
    await each(values, async (value) => {
      answers.push(await stage.until(stage.room.request(first!, "value", value)));
    });
    expect(answers).toStrictEqual(values.map(asRead));
  });

  test("a join's options arrive as they were written, without those that are undefined", async () => {
    stage = roomStage(Echo, { seed: SEED, limits: { joinsPerSecondPerRoom: 1000, joinBurstPerRoom: 1000 } });
    const given = drawn(options, 40);
    for (const each of given) {
      const { room } = await stage.join({ options: each as Record<string, string> });
      const { joined: seen } = stage.rooms.find(({ joined: some }) => some.length > 0)!;
      expect(seen.splice(0)).toStrictEqual([asRead(each)]);
      void room.leave();
      await stage.advance(100);
    }
  });

  test("entities have the values with which the room and its players spawned them", async () => {
    const [one, two] = await joined();
    // A client asks for the kinds that its game reads.
    for (const room of [one, two]) room.entities(Thing);
    const given = await things(60);
    const defaults = valuesOf(stage.room.spawn(Thing, { tag: given.length }));
    for (const [id, values] of given.entries()) {
      if (id % 2 === 0) stage.room.spawn(Thing, { ...values, tag: id });
      else one.spawn(Thing, { ...values, tag: id });
    }
    await stage.advance(3000);
    for (const room of [one, two]) expectShown(room, [...given, {}], defaults);
  });
});
