import { fileURLToPath } from "node:url";
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
  vec3,
  type Room,
} from "@paceline/client";
import { restore, type EntityDefinition } from "@paceline/protocol";
import { describe, expect, test, vi } from "vitest";
import { ShownEntities } from "../src/entities/shown-entities.js";
import { recordingWebSocket, type Recorded } from "./recorded-link.js";
import { hasPython, runPython, tellFrom, type Told, type ToldState } from "./second-reader.js";
import { Stage } from "./stage.js";
import { pause, until } from "./until.js";

const RUN_MS = 3000;
const FRAME_MS = 1000 / 60;

const Car = defineEntity(
  "car",
  {
    position: vec2({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
    velocity: vec2({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
    heading: angle({ precision: 0.001, unit: "rad" }),
    throttle: scalar({ range: [-1, 1], precision: 1 / 127 }),
    isBraking: flag(),
  },
  { motion: "turn" },
);
/** A kind without a velocity field: the derived rates are sent. */
const Kite = defineEntity(
  "kite",
  {
    position: vec3({ range: [-500, 500], precision: 0.02, unit: "m" }),
    attitude: quat({ precision: 0.01, unit: "rad" }),
    heading: angle({ precision: 0.003, unit: "rad" }),
    height: int({ range: [-50, 5000] }),
    colour: enumOf(["red", "green", "blue"]),
    owner2: uint({ range: [0, 9] }),
    tails: list(group({ length: scalar({ range: [0, 5], precision: 0.1 }), isTorn: flag() }), 2),
    name: string({ maxBytes: 20 }),
    seal: bytes({ maxBytes: 4 }),
  },
  { motion: "acceleration" },
);
/** A kind whose velocity the receiver derives. */
const Drone = defineEntity(
  "drone",
  {
    position: vec3({ range: [-500, 500], precision: 0.02, unit: "m" }),
    velocity: vec3({ range: [-90, 90], precision: 0.02, unit: "m/s", derivedFrom: "position" }),
  },
  { motion: "velocity" },
);
const definitions = [Car, Kite, Drone] as unknown as readonly EntityDefinition[];

interface Heard {
  readonly peer: number;
  readonly entity: number;
  readonly tick: number;
  readonly row: readonly number[];
  readonly numbers: readonly number[];
}

const definitionLines = definitions.map(({ name, motion, fields }) => ({
  definition: { name, motion, fields },
}));

const take = ShownEntities.prototype.onState;

function listen(): Heard[] {
  const heard: Heard[] = [];
  vi.spyOn(ShownEntities.prototype, "onState").mockImplementation(function (this: ShownEntities, ...args) {
    take.apply(this, args);
    const [entity, tick, place] = args;
    const { plan, id } = entity;
    const row = Array.from(entity.rows.subarray(place, place + plan.width));
    const values = new Float64Array(plan.definition.components.length);
    restore(plan, entity.rows, place, values);
    const numbers = Array.from(values).filter((_, index) => plan.columnOf[index]! >= 0);
    const [any] = this.ofKind(plan.definition);
    heard.push({ peer: any!.owner!.number, entity: id, tick, row, numbers });
  });
  return heard;
}

function numbersIn(values: ToldState["values"]): number[] {
  return Object.values(values)
    .filter((value) => typeof value === "number" || Array.isArray(value))
    .flat() as number[];
}

function statesOf(told: readonly Told[]): Heard[] {
  const received = told.filter(({ from, peer }) => from === "server" && peer !== null);
  return received.flatMap(({ peer, packet }) =>
    packet!.messages
      .map((message) => message.payload ?? message)
      .flatMap(({ tick, states = [] }) =>
        states.map(({ entity, owner, teleports, columns, values }) => ({
          peer: peer!,
          entity,
          tick: tick!,
          row: [owner, teleports, ...columns],
          numbers: numbersIn(values),
        })),
      ),
  );
}

async function drive(rooms: readonly Room[]): Promise<void> {
  const cars = rooms.map((room) => room.spawn(Car));
  const kites = rooms.map((room, index) => room.spawn(Kite, { name: `kite ${index}` }));
  const drone = rooms[0]!.spawn(Drone);
  const startMs = performance.now();
  let frame = 0;
  for (let ms = 0; ms < RUN_MS || frame < 110; ms = performance.now() - startMs, frame++) {
    const seconds = ms / 1000;
    for (const [index, car] of cars.entries()) {
      const turn = seconds * (1 + index) + Math.sin(3 * seconds);
      car.position.set(40 * Math.cos(turn), 25 * Math.sin(turn));
      car.velocity.set(-40 * Math.sin(turn), 25 * Math.cos(turn));
      car.heading = turn + Math.PI / 2;
      car.throttle = Math.sin(5 * seconds);
      car.isBraking = frame % 40 > 25;
    }
    for (const [index, kite] of kites.entries()) {
      if (index === 0 && frame > 100) continue;
      kite.position.set(20 * Math.sin(2 * seconds), seconds * 3 * (index + 1), 30 + Math.cos(4 * seconds));
      const half = Math.sin(seconds) / 2;
      kite.attitude.set(0, Math.sin(half), 0, Math.cos(half));
      kite.heading = Math.sin(seconds) * 3;
      kite.height = Math.floor(30 * seconds);
      kite.colour = (["red", "green", "blue"] as const)[Math.floor(seconds) % 3]!;
    }
    drone.position.set(seconds * 10, Math.sin(seconds) * 10, 5);
    if (frame === 60) cars[0]!.teleport();
    if (frame === 100) rooms[0]!.despawn(kites[0]!);
    await pause(FRAME_MS);
  }
}

const keyOf = ({ peer, entity, tick }: Heard): string => `${peer} ${entity} ${tick}`;

/**
 * Returns the keys of states that arrived before newer ones of their entity. Parallel sockets may overtake
 * each other (WF9).
 */
function timelyKeys(told: readonly Told[]): Set<string> {
  const timely = new Set<string>();
  for (const link of new Set(told.map((each) => each.link))) {
    const newest = new Map<string, number>();
    for (const state of statesOf(told.filter((each) => each.link === link))) {
      const entity = `${state.peer} ${state.entity}`;
      if (state.tick <= (newest.get(entity) ?? -1)) continue;
      newest.set(entity, state.tick);
      timely.add(keyOf(state));
    }
  }
  return timely;
}

/** Checks that the reader dropped nothing and met every kind of message. */
function expectWhole(told: readonly Told[]): void {
  expect(told.filter(({ drop }) => drop !== undefined)).toEqual([]);
  const messages = told.flatMap(({ packet }) => packet!.messages);
  expect(messages.filter(({ drop }) => drop !== undefined)).toEqual([]);
  const payloads = messages.flatMap(({ payload }) => payload ?? []);
  const kinds = new Set([...messages, ...payloads].map(({ kind }) => kind));
  const expected = ["state", "reliable", "event", "ping", "pong"];
  expected.push("control", "stream", "reference", "command", "request", "reply");
  expect(expected.filter((kind) => !kinds.has(kind))).toEqual([]);
  const command = payloads.find(({ kind }) => kind === "command");
  expect(command!.message).toEqual({ loud: true, notes: [1, -2, 0.5] });
  expect(payloads.flatMap(({ removed = [] }) => removed).length).toBeGreaterThan(0);
  const checksums = [...messages, ...payloads].flatMap(({ checksum }) => checksum ?? []);
  expect(checksums.length).toBeGreaterThan(0);
  expect(checksums.every(({ agrees }) => agrees)).toBe(true);
}

describe.skipIf(!hasPython)("a reader in Python, written from the documents alone", () => {
  const stage = new Stage();

  test("[WF1] [WF7] [WF20] reads the vectors as documented", () => {
    const folder = fileURLToPath(new URL("../../protocol/test/vectors", import.meta.url));
    const lines = runPython("golden.py", [folder]);
    expect(lines).toHaveLength(1);
    const [{ wrong, checked }] = lines as [{ wrong: number; checked: Record<string, number> }];
    expect(wrong).toBe(0);
    expect(Object.keys(checked)).toHaveLength(21);
  });

  // With two participants, baselines are acknowledged. With three, published states are whole.
  test.each([2, 3])(
    "[WF9] [WF14] [WF15] reads from a live room of %i what the clients read",
    { timeout: 40_000 },
    async (count) => {
      const recorded: Recorded[] = [];
      const server = await stage.server();
      const heard = listen();
      const rooms: Room[] = [];
      for (let index = 0; index < count; index++)
        rooms.push(await stage.join(server, { webSocket: recordingWebSocket(`link ${index}`, recorded) }));
      await until("all have met", () => rooms.every(({ peers }) => peers.length === count - 1));
      for (const room of rooms) for (const kind of definitions) void [...room.entities(kind)];
      rooms[0]!.send("horn", { loud: true, notes: [1, -2, 0.5] });
      rooms[1]!.onRequest("time", () => 12.5);
      await drive(rooms);
      rooms[0]!.sendEvent("flash", null);
      const [owner, asked] = rooms;
      await owner!.request(
        "time",
        null,
        owner!.peers.find(({ number }) => number === asked!.myNumber),
      );
      vi.restoreAllMocks();

      const told = tellFrom([...definitionLines, ...recorded]);
      expectWhole(told);
      expect(told.some(({ packet }) => packet!.published)).toBe(count > 2);
      const read = new Map(statesOf(told).map((state) => [keyOf(state), state]));
      expect(heard.length).toBeGreaterThan(150);
      for (const state of heard) expect(read.get(keyOf(state))).toEqual(state);
      const known = new Set(heard.map(keyOf));
      expect([...timelyKeys(told)].filter((key) => !known.has(key))).toEqual([]);
      expect(heard.some(({ row }) => row[1] === 1)).toBe(true);
    },
  );
});
