import { Encoder, schema, t } from "@colyseus/schema";
import { ReceiverReplication, sendDecisionOf } from "@paceline/netcode";
import {
  SnapshotWriter,
  SoleReceiver,
  StateHistory,
  defineEntity,
  int,
  planState,
  string,
  uint,
  type EntityDefinition,
  type Fields,
  type StatePlan,
  type Texts,
} from "@paceline/protocol";
import { seededRandom, type Random } from "@paceline/testkit";
import type { BenchResult, Row } from "./bench.js";

const HZ = 20;
const TICKS = 60 * HZ;
/** First counted tick; the first ticks carry whole states. */
const FROM = 2;
const MAX_OF_FIXED = 1.05;
/** The longest time that a definition may say: the other systems do not repeat a state that stays the same. */
const RARE_HEARTBEAT_MS = 60_000;
/** As in a room: a state is due if a field changed. */
const POLICY = {
  positionThresholdM: 0.1,
  headingThresholdRad: 0.03,
  horizonMs: 100,
  minIntervalMs: 0,
  heartbeatMs: 10_000,
  movingHeartbeatMs: 300,
  repeatAfterMs: 0,
  bytesPerSecond: Number.POSITIVE_INFINITY,
  lostAfterMs: Number.POSITIVE_INFINITY,
};

/** A game whose states are not cars. `step` changes `numbers` and `texts` in place. */
interface Scene {
  readonly name: string;
  readonly entities: number;
  readonly definition: EntityDefinition;
  /** Returns Colyseus' types of the same fields. */
  readonly types: () => Record<string, unknown>;
  step(numbers: number[], texts: string[], random: Random, tick: number): void;
}

const labels = ["ready", "waiting for players", "out", "in the pits", "lap 3"];

const scenes = (): readonly Scene[] => [
  {
    name: "board of 32 pieces that jump",
    entities: 32,
    definition: define({ column: uint({ range: [0, 7] }), row: uint({ range: [0, 7] }) }),
    types: () => ({ column: t.uint8(), row: t.uint8() }),
    step: (piece, _texts, random) => {
      if (random.bool(1 / 640)) piece.splice(0, 2, random.int(0, 7), random.int(0, 7));
    },
  },
  {
    name: "200 health bars",
    entities: 200,
    definition: define({ health: uint({ range: [0, 100] }) }),
    types: () => ({ health: t.uint8() }),
    step: (bar, _texts, random) => {
      if (random.bool(0.02)) bar[0] = Math.max(0, bar[0]! - random.int(1, 30));
      else if (bar[0] === 0) bar[0] = 100;
    },
  },
  pointerScene(),
  {
    name: "8 random walks",
    entities: 8,
    definition: define({ at: int({ range: [-2000, 2000] }) }),
    types: () => ({ at: t.int16() }),
    step: (walk, _texts, random) => {
      walk[0] = Math.min(Math.max(walk[0]! + random.int(-3, 3), -2000), 2000);
    },
  },
  {
    name: "32 labels that change once a minute",
    entities: 32,
    definition: define({ label: string({ maxBytes: 20 }) }),
    types: () => ({ label: t.string() }),
    step: (_numbers, texts, random) => {
      if (random.bool(1 / 1200)) texts[0] = labels[random.int(0, labels.length - 1)]!;
    },
  },
  {
    name: "counter",
    entities: 1,
    definition: define({ count: uint({ range: [0, 1_000_000] }) }),
    types: () => ({ count: t.uint32() }),
    step: (counter) => {
      counter[0]! += 1;
    },
  },
];

/** A hand that moves to random points and rests in between. */
function pointerScene(): Scene {
  const hand = { from: [0, 0], to: [960, 540], start: 0, ticks: 1 };
  return {
    name: "mouse pointer",
    entities: 1,
    definition: define({ x: uint({ range: [0, 1919] }), y: uint({ range: [0, 1079] }) }),
    types: () => ({ x: t.uint16(), y: t.uint16() }),
    step: (pointer, _texts, random, tick) => {
      const done = Math.min(1, (tick - hand.start) / hand.ticks);
      const share = done * done * (3 - 2 * done);
      for (let axis = 0; axis < 2; axis++)
        pointer[axis] = Math.round(hand.from[axis]! + (hand.to[axis]! - hand.from[axis]!) * share);
      if (done < 1 || !random.bool(0.1)) return;
      Object.assign(hand, { from: hand.to, to: [random.int(0, 1919), random.int(0, 1079)], start: tick });
      hand.ticks = random.int(4, 30);
    },
  };
}

function define(fields: Fields): EntityDefinition {
  return defineEntity<Fields>("thing", fields, { heartbeatMs: RARE_HEARTBEAT_MS });
}

interface Thing {
  readonly numbers: number[];
  readonly texts: string[];
}

/**
 * Returns the bytes per tick of states that are not cars: Paceline, fixed widths with a change mask, and
 * Colyseus.
 */
export function genericRows(): BenchResult {
  const rows = scenes().map(rowOf);
  const faults = rows.flatMap(({ scene, simpleBytes, fixedBytes, colyseusBytes }) => [
    ...(Number(simpleBytes) > Number(fixedBytes) * MAX_OF_FIXED ? [`${scene}: more than fixed widths`] : []),
    ...(Number(simpleBytes) > Number(colyseusBytes) ? [`${scene}: more than Colyseus`] : []),
  ]);
  return { rows, faults };
}

function rowOf(scene: Scene): Row {
  const random = seededRandom(7);
  const things: Thing[] = Array.from({ length: scene.entities }, () => ({
    numbers: scene.definition.components.map(({ initial }) => initial),
    texts: scene.definition.textCount > 0 ? [labels[0]!] : [],
  }));
  const ours = new Ours(scene);
  const fixed = new Fixed(planState(scene.definition, { tickHz: HZ }));
  const colyseus = new Colyseus(scene);
  const sums = { simple: 0, fixed: 0, colyseus: 0 };
  for (let tick = 0; tick < TICKS; tick++) {
    const before = JSON.stringify(things);
    for (const { numbers, texts } of things) scene.step(numbers, texts, random, tick);
    // No system sends while nothing changes.
    const isDue = tick < FROM || JSON.stringify(things) !== before;
    const sizes = [
      ours.encode(things, tick),
      isDue ? fixed.encode(things) : 0,
      isDue ? colyseus.encode(things) : 0,
    ];
    if (tick < FROM) continue;
    sums.simple += sizes[0] ?? 0;
    sums.fixed += sizes[1] ?? 0;
    sums.colyseus += sizes[2] ?? 0;
  }
  return {
    section: "generic",
    scene: scene.name,
    simpleBytes: sums.simple / (TICKS - FROM),
    fixedBytes: sums.fixed / (TICKS - FROM),
    colyseusBytes: sums.colyseus / (TICKS - FROM),
  };
}

/** Paceline with every packet acknowledged before the next one. It sends the states that are due, as a room does. */
class Ours {
  readonly #history: StateHistory;
  readonly #sender: SoleReceiver;
  readonly #replication = new ReceiverReplication({ tickSeconds: 1 / HZ, decisionOf: sendDecisionOf });
  readonly #replicas: readonly {
    id: number;
    definition: EntityDefinition;
    state: Float32Array;
    texts: string[];
  }[];

  constructor({ definition, entities }: Scene) {
    const plan = planState(definition, { tickHz: HZ });
    this.#history = new StateHistory({ plans: [plan] });
    const writer = new SnapshotWriter([plan]);
    const checksumTicks = Number.POSITIVE_INFINITY;
    this.#sender = new SoleReceiver({ writer, checksumTicks });
    for (let id = 0; id < entities; id++) this.#history.spawn(id, plan);
    this.#replicas = Array.from({ length: entities }, (_, id) => ({
      id,
      definition,
      state: new Float32Array(definition.components.length),
      texts: [],
    }));
  }

  encode(things: readonly Thing[], tick: number): number {
    const moment = { tick, nowMs: (tick * 1000) / HZ };
    for (const [index, { numbers, texts }] of things.entries()) {
      this.#replicas[index]!.state.set(numbers);
      this.#replicas[index]!.texts.splice(0, texts.length, ...texts);
    }
    const due = this.#replication.due(this.#replicas, moment, POLICY).sort((a, b) => a.id - b.id);
    const rows = due.map(({ id, state, texts }) => {
      const entity = this.#history.find(id)!;
      this.#history.write(entity, tick, state, [...texts] as Texts);
      return entity;
    });
    let bytes = 0;
    this.#sender.write(tick, rows, ({ body }) => {
      bytes += body.length;
      return tick;
    });
    for (const { id } of due)
      this.#replication.sent(this.#replicas[id]!, this.#replicas[id]!.state, moment, tick);
    this.#sender.acknowledge(tick);
    this.#replication.acknowledged(tick);
    return bytes;
  }
}

/** A simple code: Paceline's packet head, one bit for each field, and changed values at full width. */
class Fixed {
  readonly #bits: readonly number[];
  #before: readonly Thing[] = [];

  constructor({ bits, columnOf }: StatePlan) {
    this.#bits = Array.from(columnOf, (column) => bits[column]!);
  }

  encode(things: readonly Thing[]): number {
    // The number of entries takes 2 log2 + 1 bits; their owner and the base tick take 7.
    let total = 2 * Math.floor(Math.log2(things.length + 1)) + 8;
    for (const [index, { numbers, texts }] of things.entries()) {
      const before = this.#before[index];
      for (const [at, value] of numbers.entries())
        total += value === before?.numbers[at] ? 1 : 1 + this.#bits[at]!;
      for (const [at, text] of texts.entries()) total += text === before?.texts[at] ? 1 : 9 + text.length * 8;
    }
    this.#before = things.map(({ numbers, texts }) => ({ numbers: [...numbers], texts: [...texts] }));
    return Math.ceil(total / 8);
  }
}

class Colyseus {
  readonly #names: readonly string[];
  readonly #things: Record<string, number | string>[];
  readonly #encoder: Encoder;

  constructor({ name, types, entities }: Scene) {
    const Item = schema(types() as Parameters<typeof schema>[0], `Thing-${name}`);
    const Room = schema({ things: t.array(Item) }, `Things-${name}`);
    const state = new Room();
    this.#names = Object.keys(types());
    for (let id = 0; id < entities; id++) state.things.push(new Item());
    this.#things = state.things as unknown as Record<string, number | string>[];
    this.#encoder = new Encoder(state);
  }

  encode(things: readonly Thing[]): number {
    for (const [index, { numbers, texts }] of things.entries()) {
      for (const [at, name] of this.#names.entries()) this.#things[index]![name] = texts[at] ?? numbers[at]!;
    }
    const { length } = this.#encoder.encode();
    this.#encoder.discardChanges();
    return length;
  }
}
