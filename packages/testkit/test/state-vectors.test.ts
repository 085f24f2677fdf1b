import { spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import {
  SnapshotWriter,
  SnapshotReader,
  SoleReceiver,
  StateHistory,
  angle,
  defineEntity,
  enumOf,
  flag,
  int,
  matchColumns,
  planState,
  quat,
  restore,
  scalar,
  string,
  vec3,
  wholeStateBits,
  vec2,
  type EntityDefinition,
  type EntityRows,
  type SnapshotListener,
  type StatePlan,
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

/** Turns by exactly half a turn: its 6284 steps have a middle. */
const Dial = defineEntity("dial", {
  needle: angle({ precision: 0.001, unit: "rad" }),
}) as unknown as EntityDefinition;

/** No definition has a column of 0 bits. A description may: it says that `shape` has one value. */
const Badge = defineEntity("badge", { shape: enumOf(["round", "square"]) }) as unknown as EntityDefinition;
const BADGE_COLUMNS = Uint8Array.of(0, 1, 8, 5, ...Buffer.from("shape"), 1);
const badge = { name: "badge", motion: "hold", fields: { shape: { kind: "enum", values: ["round"] } } };

/** Receivers derive its velocity, acceleration and turn rate, or get them. */
const Kart = defineEntity(
  "kart",
  {
    position: vec2({ range: [-500, 500], precision: 0.01, unit: "m" }),
    heading: angle({ precision: 0.001, unit: "rad" }),
    fuel: scalar({ range: [0, 1], precision: 0.01 }),
  },
  { motion: "turn" },
) as unknown as EntityDefinition;

interface Sent {
  readonly tick: number;
  readonly hex: string;
}

interface Body extends Sent {
  readonly decoded: {
    /** Id, owner, teleports, and the columns of the fields. */
    readonly rows: readonly (readonly number[])[];
    readonly texts: readonly (readonly string[])[];
  };
}

/** A definition in the form of `definitions.json`. */
interface VectorKind {
  readonly name: string;
  readonly motion: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

/** What `bodies.json` holds: bodies in order, with all that a reader in any language needs to read them. */
interface Vector {
  readonly name: string;
  readonly rules: readonly string[];
  readonly tickHz: number;
  readonly kinds: readonly VectorKind[];
  /** True: without the columns of derived components, as in the states of an authority. */
  readonly isFieldsOnly: boolean;
  readonly bodies: readonly Body[];
}

const TICK_HZ = 30;

/** The sender of one vector's bodies. */
class Sending {
  readonly sent: Sent[] = [];
  readonly #plan: StatePlan;
  readonly #history: StateHistory;
  readonly #sender: SoleReceiver;

  constructor(plan: StatePlan) {
    this.#plan = plan;
    this.#history = new StateHistory({ plans: [plan] });
    this.#sender = new SoleReceiver({ writer: new SnapshotWriter([plan]) });
  }

  spawn(id: number, owner: number): EntityRows {
    return this.#history.spawn(id, this.#plan, owner);
  }

  write(entity: EntityRows, tick: number, state: ArrayLike<number>, texts?: readonly string[]): void {
    this.#history.write(entity, tick, state, texts);
  }

  send(tick: number, entities: readonly EntityRows[]): void {
    this.#sender.write(tick, entities, ({ body }) => {
      this.sent.push({ tick, hex: Buffer.from(body).toString("hex") });
      return tick;
    });
  }

  acknowledge(tick: number): void {
    this.#sender.acknowledge(tick);
  }
}

function sendShips(sending: Sending): void {
  const entities = [2, 3, 11].map((id) => sending.spawn(id, id));
  const write = (entity: EntityRows, tick: number): void =>
    sending.write(entity, tick, stateAt(tick, entity.id), [`ship ${entity.id}`]);
  for (let tick = 0; tick < 24; tick++) {
    for (const entity of entities) write(entity, tick);
    if (tick >= 3 && tick % 5 !== 0) sending.acknowledge(tick - 3);
    sending.send(tick, tick % 7 === 6 ? entities.slice(1) : entities);
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
    for (const id of spawned) entities.push(sending.spawn(id, id));
    const due = entities.filter(({ id }) => sent.includes(id));
    for (const entity of due) write(entity, tick);
    sending.send(tick, due);
    if (!isLost) sending.acknowledge(tick);
  }
}

/** At ticks with gaps, where the two ways around lead to different predictions. The first ones have no `b2`. */
function sendDial(sending: Sending): void {
  const dial = sending.spawn(0, 0);
  const [half, quarter] = [Math.PI, Math.PI / 2];
  const needles = [
    [0, 0],
    [2, half],
    [3, quarter],
    [5, -quarter],
    [6, 0],
    [9, half],
    [10, half],
    [12, 0],
    [13, 0.1],
  ] as const;
  for (const [tick, needle] of needles) {
    sending.write(dial, tick, [needle]);
    sending.send(tick, [dial]);
    sending.acknowledge(tick);
  }
}

/** Made by hand: no sender sets the mask bit of such a column, as the fourth body does. */
function sendBadge({ sent }: Sending): void {
  for (const [tick, hex] of ["20c0", "20c0", "20c0", "88", "80"].entries()) sent.push({ tick, hex });
}

function sendKart(sending: Sending): void {
  const kart = sending.spawn(7, 1);
  for (let tick = 0; tick < 8; tick++) {
    const x = tick * tick;
    const state = [x / 2, 3 * tick, tick / 8, 1 - tick / 16, 30 * tick, 90, 900, 0, 3.75];
    sending.write(kart, tick, state);
    sending.send(tick, [kart]);
    sending.acknowledge(tick);
  }
}

interface Scene {
  readonly name: string;
  readonly rules: readonly string[];
  readonly definition: EntityDefinition;
  /** What a sender's description says of the definition's columns, and the definition that it describes. */
  readonly described?: { readonly columns: Uint8Array; readonly kind: VectorKind };
  readonly isFieldsOnly: boolean;
  send(sending: Sending): void;
}

const scenes: readonly Scene[] = [
  { name: "ships", rules: ["WF9"], definition: Ship, isFieldsOnly: true, send: sendShips },
  {
    name: "an angle that turns by exactly half a turn",
    rules: ["WF9"],
    definition: Dial,
    isFieldsOnly: true,
    send: sendDial,
  },
  {
    name: "a column of 0 bits, with its mask bit 1 and 0",
    rules: ["WF9", "WF17"],
    definition: Badge,
    described: { columns: BADGE_COLUMNS, kind: badge },
    isFieldsOnly: true,
    send: sendBadge,
  },
  {
    name: "of an authority, without derived columns",
    rules: ["WF31"],
    definition: Kart,
    isFieldsOnly: true,
    send: sendKart,
  },
  {
    name: "the same of a player, with derived columns",
    rules: ["WF14"],
    definition: Kart,
    isFieldsOnly: false,
    send: sendKart,
  },
];

function planOf({ definition, described, isFieldsOnly }: Scene): StatePlan {
  const options = { tickHz: TICK_HZ, hasRates: !isFieldsOnly };
  return described
    ? matchColumns(definition, described.columns, options)!.plan!
    : planState(definition, options);
}

function kindsOf({ definition, described }: Scene): Vector["kinds"] {
  const { name, motion, fields } = definition;
  return [described?.kind ?? { name, motion, fields }];
}

function run(scene: Scene): readonly Sent[] {
  const sending = new Sending(planOf(scene));
  scene.send(sending);
  return sending.sent;
}

/** Returns the bodies with a reader's decoded rows and texts. */
function bodiesOf(scene: Scene, sent: readonly Sent[]): Body[] {
  const plan = planOf(scene);
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
    return { tick, hex, decoded: { rows, texts } };
  });
}

if (process.env.PACELINE_WRITE_VECTORS) {
  const lines = scenes.map((scene) => {
    const { name, rules, isFieldsOnly } = scene;
    const head = { name, rules, tickHz: TICK_HZ, kinds: kindsOf(scene), isFieldsOnly };
    const bodies = bodiesOf(scene, run(scene)).map((body) => `    ${JSON.stringify(body)}`);
    return `  ${JSON.stringify(head).slice(0, -1)},"bodies":[\n${bodies.join(",\n")}\n  ]}`;
  });
  writeFileSync(file, `[\n${lines.join(",\n")}\n]\n`);
}

const vectors = JSON.parse(readFileSync(file, "utf8")) as readonly Vector[];

test("the packets decode to the states", () => {
  const plan = planState(Ship, { tickHz: TICK_HZ });
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
  for (const { tick, hex } of vectors[0]!.bodies)
    expect(reader.read(Buffer.from(hex, "hex"), tick, listener)).toBe(undefined);
  expect(states).toBe(24 * 3 - 3 + 20);
});

test.each(scenes)(
  "[WF9] [WF14] [WF31] bodies are what they were, and bring the rows that stand beside them: $name",
  (scene) => {
    const vector = vectors.find(({ name }) => name === scene.name)!;
    const { rules, isFieldsOnly, tickHz, kinds, bodies } = vector;
    expect({ rules, isFieldsOnly, tickHz }).toEqual({
      rules: scene.rules,
      isFieldsOnly: scene.isFieldsOnly,
      tickHz: TICK_HZ,
    });
    expect(kinds).toEqual(kindsOf(scene));
    expect(run(scene)).toEqual(bodies.map(({ tick, hex }) => ({ tick, hex })));
    expect(bodiesOf(scene, bodies)).toEqual(bodies);
  },
);

test("the vectors show what the document says of rare columns", () => {
  const columns = (scene: string): readonly (readonly number[])[] =>
    vectors.find(({ name }) => name === scene)!.bodies.map(({ decoded }) => decoded.rows[0]!.slice(3));
  expect(columns("an angle that turns by exactly half a turn").slice(0, 3)).toEqual([[0], [3142], [1571]]);
  expect(columns("a column of 0 bits, with its mask bit 1 and 0")).toEqual([[0], [0], [0], [0], [0]]);
  expect(columns("of an authority, without derived columns")[0]).toHaveLength(4);
  expect(columns("the same of a player, with derived columns")[0]).toHaveLength(4 + 2 + 2 + 1);
});

const hasPython = spawnSync("python3", ["--version"]).status === 0;
const conformance = (program: string): string =>
  fileURLToPath(new URL(`../../../tools/conformance/${program}`, import.meta.url));

test.skipIf(!hasPython)(
  "a reader in Python that knows the documents and the vectors alone reads the same",
  () => {
    const folder = fileURLToPath(new URL("vectors", import.meta.url));
    const { stdout, stderr } = spawnSync("python3", [conformance("golden.py"), folder], { encoding: "utf8" });
    expect(stderr).toBe("");
    expect(
      stdout
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as unknown),
    ).toEqual([{ checked: { bodies: scenes.length }, wrong: 0 }]);
  },
);

test.skipIf(!hasPython)(
  "the program that decodes captures reads the same, and finds the checksums right",
  () => {
    const [ships] = vectors;
    const [definition] = ships!.kinds;
    const lines = [
      { definition },
      { plan: { name: definition!.name, tickHz: ships!.tickHz, isFieldsOnly: ships!.isFieldsOnly } },
      ...ships!.bodies,
    ];
    const input = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
    const { stdout, stderr } = spawnSync("python3", [conformance("decode.py")], { input, encoding: "utf8" });
    expect(stderr).toBe("");
    const told = stdout
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as ToldSnapshot);
    const read = told.map(({ states }) =>
      states.map(({ entity, owner, teleports, columns }) => [entity, owner, teleports, ...columns]),
    );
    expect(read).toEqual(ships!.bodies.map(({ decoded }) => decoded.rows));
    expect(told[0]!.states[0]!.values.name).toBe("ship 2");
    expect(told.flatMap(({ checksum }) => checksum ?? []).every(({ agrees }) => agrees)).toBe(true);
  },
);

interface ToldSnapshot {
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
  const plan = planState(Ship, { tickHz: TICK_HZ });
  expect(wholeStateBits(plan, 6)).toBe(
    1 + 16 + 8 + 3 * 18 + 3 * 15 + (2 + 3 * 10) + 13 + 10 + 8 + 2 + 1 + 4 + 48,
  );
});
