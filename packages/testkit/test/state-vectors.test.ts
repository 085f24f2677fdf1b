import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  SharedWriter,
  SnapshotReader,
  SnapshotSender,
  StateHistory,
  angle,
  defineEntity,
  enumOf,
  flag,
  int,
  planState,
  quat,
  restore,
  scalar,
  string,
  vec3,
  wholeStateBits,
  type EntityDefinition,
  type SnapshotListener,
} from "@paceline/protocol";
import { expect, test } from "vitest";

const file = new URL("vectors/bodies.json", import.meta.url);

const Ship = defineEntity(
  "ship",
  {
    position: vec3({ range: [-1000, 1000], precision: 0.01, unit: "m" }),
    velocity: vec3({ range: [-100, 100], precision: 0.01, unit: "m/s" }),
    attitude: quat({ precision: 0.01, unit: "rad" }),
    turret: angle({ precision: 0.001, unit: "rad" }),
    fuel: scalar({ range: [0, 1], precision: 0.001 }),
    thrust: int({ range: [-127, 127] }),
    mood: enumOf(["calm", "wary", "angry"]),
    isFiring: flag(),
    name: string({ maxBytes: 12 }),
  },
  { motion: "turn" },
) as unknown as EntityDefinition;

/** Returns a state from sums, products and divisions only, which are the same on all machines. */
function stateAt(tick: number, id: number): Float64Array {
  const lap = ((tick + 7 * id) % 40) / 40 - 0.5;
  const along = lap * (1.5 - 2 * lap * lap);
  return Float64Array.of(
    100 * along + 3 * id,
    80 * lap * lap,
    tick > 12 ? 2 : 0,
    30 * (1 - lap * lap),
    40 * lap,
    0,
    0.1 * lap,
    0.2 * along,
    lap,
    0.9,
    3 * lap,
    1 - tick / 64,
    tick % 9 < 4 ? 127 : 16 * (tick % 5),
    tick > 20 ? 2 : 0,
    id % 2,
    0,
  );
}

interface Vector {
  readonly tick: number;
  readonly hex: string;
}

function run(): Vector[] {
  const plan = planState(Ship, { tickHz: 30 });
  const history = new StateHistory({ plans: [plan] });
  const sender = new SnapshotSender({ history, writer: new SharedWriter([plan]) });
  const entities = [2, 3, 11].map((id) => history.spawn(id, plan, id));
  const vectors: Vector[] = [];
  for (let tick = 0; tick < 24; tick++) {
    for (const entity of entities)
      history.write(entity, tick, stateAt(tick, entity.id), [`ship ${entity.id}`]);
    if (tick >= 3 && tick % 5 !== 0) sender.acknowledge(tick - 3);
    sender.write(tick, tick % 7 === 6 ? entities.slice(1) : entities, (body) => {
      vectors.push({ tick, hex: Buffer.from(body).toString("hex") });
      return tick;
    });
  }
  // Entities of which the receiver holds one state, alone and among others.
  const later: {
    readonly tick: number;
    readonly spawned?: number[];
    readonly sent: number[];
    readonly isLost?: true;
  }[] = [
    { tick: 30, spawned: [20], sent: [20] },
    { tick: 36, sent: [20], isLost: true },
    { tick: 37, sent: [20] },
    { tick: 44, spawned: [21], sent: [2, 3, 20, 21] },
    { tick: 45, sent: [2, 3, 20, 21] },
    { tick: 50, spawned: [30, 31], sent: [30, 31] },
    { tick: 56, sent: [3, 30, 31] },
    { tick: 57, spawned: [40], sent: [40] },
    { tick: 59, spawned: [41], sent: [41] },
    { tick: 63, sent: [40, 41] },
  ];
  for (const { tick, spawned = [], sent, isLost } of later) {
    for (const id of spawned) entities.push(history.spawn(id, plan, id));
    const due = entities.filter(({ id }) => sent.includes(id));
    for (const entity of due) history.write(entity, tick, stateAt(tick, entity.id), [`ship ${entity.id}`]);
    sender.write(tick, due, (body) => {
      vectors.push({ tick, hex: Buffer.from(body).toString("hex") });
      return tick;
    });
    if (!isLost) sender.acknowledge(tick);
  }
  return vectors;
}

interface Body extends Vector {
  /** Id, owner, teleports, and the columns of the fields. */
  readonly rows: readonly (readonly number[])[];
  readonly texts: readonly (readonly string[])[];
}

/** Returns the bodies with a reader's decoded rows and texts. */
function bodies(sent: readonly Vector[]): Body[] {
  const plan = planState(Ship, { tickHz: 30 });
  const reader = new SnapshotReader({ plans: [plan], historyTicks: 64, maxEntities: 16 });
  return sent.map(({ tick, hex }) => {
    const rows: number[][] = [];
    const texts: string[][] = [];
    const listener: SnapshotListener = {
      onState(entity, at, place) {
        rows.push([entity.id, ...entity.rows.subarray(place, place + plan.width)]);
        texts.push(entity.textsAt(at).map(String));
      },
      onRemoved: () => undefined,
      onDesync: () => undefined,
    };
    expect(reader.read(Buffer.from(hex, "hex"), tick, listener)).toBe(undefined);
    return { tick, hex, rows, texts };
  });
}

if (process.env.PACELINE_WRITE_VECTORS) {
  const lines = bodies(run()).map((body) => JSON.stringify(body));
  writeFileSync(file, `[\n${lines.join(",\n")}\n]\n`);
}

const vectors = JSON.parse(readFileSync(file, "utf8")) as Body[];

test("the packets decode to the states", () => {
  const plan = planState(Ship, { tickHz: 30 });
  const reader = new SnapshotReader({ plans: [plan], historyTicks: 64, maxEntities: 16 });
  const got = new Float64Array(Ship.components.length);
  let states = 0;
  const listener: SnapshotListener = {
    onState(entity, tick, place) {
      restore(plan, entity.rows, place, got);
      const sent = stateAt(tick, entity.id);
      for (const index of [0, 1, 2, 3, 4, 5])
        expect(Math.abs(got[index]! - sent[index]!)).toBeLessThanOrEqual(0.005001);
      expect(Array.from(got.subarray(12, 15))).toEqual(Array.from(sent.subarray(12, 15)));
      expect(entity.textsAt(tick)).toEqual([`ship ${entity.id}`]);
      states += 1;
    },
    onRemoved: () => undefined,
    onDesync: () => undefined,
  };
  for (const { tick, hex } of vectors)
    expect(reader.read(Buffer.from(hex, "hex"), tick, listener)).toBe(undefined);
  expect(states).toBe(24 * 3 - 3 + 20);
});

test("[WF9] bodies are what they were, and bring the rows that stand beside them", () => {
  expect(vectors.length).toBeGreaterThanOrEqual(20);
  expect(run()).toEqual(vectors.map(({ tick, hex }) => ({ tick, hex })));
  expect(bodies(vectors)).toEqual(vectors);
  for (const { tick, rows } of vectors) {
    const wholes = rows.map(([id, ...row]) => {
      const state = new Float64Array(Ship.components.length);
      restore(planState(Ship, { tickHz: 30 }), Int32Array.from(row), 0, state);
      return Math.abs(state[0]! - stateAt(tick, id!)[0]!);
    });
    expect(Math.max(...wholes)).toBeLessThanOrEqual(0.005001);
  }
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;

test.skipIf(!hasPython)("a reader in Python that knows the documents alone reads the same", () => {
  const plan = planState(Ship, { tickHz: 30 });
  const rows: unknown[] = [];
  const reader = new SnapshotReader({ plans: [plan], historyTicks: 64, maxEntities: 16 });
  const listener: SnapshotListener = {
    onState({ id, rows: all }, tick, place) {
      rows.push({ tick, entity: id, row: Array.from(all.subarray(place, place + plan.width)) });
    },
    onRemoved: () => undefined,
    onDesync: () => undefined,
  };
  for (const { tick, hex } of vectors) reader.read(Buffer.from(hex, "hex"), tick, listener);
  const { name, motion, fields } = Ship;
  const lines = [
    { definition: { name, motion, fields } },
    { plan: { name, tickHz: 30, isFieldsOnly: true } },
    ...vectors,
  ];
  const program = fileURLToPath(new URL("../../../tools/conformance/decode.py", import.meta.url));
  const input = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const { stdout, stderr } = spawnSync("python3", [program], { input, encoding: "utf8" });
  expect(stderr).toBe("");
  const told = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as ToldSnapshot);
  const read = told.flatMap(({ tick, states }) =>
    states.map(({ entity, owner, teleports, columns }) => ({
      tick,
      entity,
      row: [owner, teleports, ...columns],
    })),
  );
  expect(read).toEqual(rows);
  expect(told[0]!.states[0]!.values.name).toBe("ship 2");
  expect(told.flatMap(({ checksum }) => checksum ?? []).every(({ agrees }) => agrees)).toBe(true);
});

interface ToldSnapshot {
  readonly tick: number;
  readonly checksum: { readonly agrees: boolean } | null;
  readonly states: readonly {
    readonly entity: number;
    readonly owner: number;
    readonly teleports: number;
    readonly columns: readonly number[];
    readonly values: Readonly<Record<string, unknown>>;
  }[];
}

test("the size of a whole state follows from the definition", () => {
  const plan = planState(Ship, { tickHz: 30 });
  expect(wholeStateBits(plan, 6)).toBe(
    1 + 16 + 8 + 3 * 18 + 3 * 15 + (2 + 3 * 10) + 13 + 10 + 8 + 2 + 1 + 4 + 48,
  );
});
