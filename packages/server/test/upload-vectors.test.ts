import { readFileSync, writeFileSync } from "node:fs";
import {
  SoleReceiver,
  SnapshotWriter,
  StateHistory,
  angle,
  defineEntity,
  flag,
  planState,
  scalar,
  string,
  vec2,
  type EntityDefinition,
  type StatePlan,
} from "@paceline/protocol";
import { expect, test } from "vitest";
import { CodedStates } from "../src/entities/coded-states.js";

/** One body of a participant's own states: the place of a kind, then states of that kind. */
interface Body {
  readonly tick: number;
  readonly hex: string;
  readonly decoded: {
    readonly kind: number;
    /** The id, the owner, the teleports and the fields' columns of each state. */
    readonly rows: readonly (readonly number[])[];
    readonly texts: readonly (readonly string[])[];
  };
}

interface Vector {
  readonly name: string;
  readonly rules: readonly string[];
  readonly tickHz: number;
  readonly kinds: readonly Pick<EntityDefinition, "name" | "motion" | "fields">[];
  readonly packets: readonly Body[];
}

const file = new URL("../../protocol/test/vectors/uploads.json", import.meta.url);
const TICK_HZ = 60;
const Lamp = defineEntity("lamp", { isLit: flag(), label: string({ maxBytes: 12 }) });
const Cart = defineEntity(
  "cart",
  {
    position: vec2({ range: [-500, 500], precision: 0.01, unit: "m" }),
    heading: angle({ precision: 0.001, unit: "rad" }),
    load: scalar({ range: [0, 1], precision: 0.01 }),
  },
  { motion: "velocity" },
);
const kinds = [Lamp, Cart] as unknown as readonly EntityDefinition[];

/** Returns the bodies of a participant that the authority answers after three ticks. */
function written(): { readonly tick: number; readonly hex: string }[] {
  const plans = kinds.map((definition) => planState(definition, { tickHz: TICK_HZ, hasRates: true }));
  const bodies: { tick: number; hex: string }[] = [];
  for (const [kind, plan] of plans.entries()) {
    const history = new StateHistory({ plans: [plan] });
    const sender = new SoleReceiver({ writer: new SnapshotWriter([plan]) });
    const entities =
      kind === 0 ? [history.spawn(4, plan, 0)] : [0, 300].map((id) => history.spawn(id, plan, 0));
    for (let tick = 70_000; tick < 70_012; tick += 2) {
      const texts = kind === 0 ? [`lamp ${tick >> 2}`] : [];
      for (const entity of entities)
        history.write(entity, tick, stateAt(kind, tick - 70_000, entity.id), texts);
      if (tick >= 70_004) sender.acknowledge(tick - 4);
      sender.write(tick, entities, ({ body }) => {
        bodies.push({ tick, hex: Buffer.from([kind, ...body]).toString("hex") });
        return tick;
      });
    }
  }
  return bodies;
}

/** Returns a state from sums, products and divisions only, which are the same on all machines. */
function stateAt(kind: number, step: number, id: number): Float64Array {
  if (kind === 0) return Float64Array.of(step % 4 === 0 ? 1 : 0);
  const state = new Float64Array(Cart.components.length);
  state.set([step * step * 0.01 + id, 40 - step / 4, step / 10, step / 20, step * 1.2, -15, 0.6]);
  return state;
}

/** Returns the bodies with what the authority's reader makes of them. */
function read(bodies: readonly { readonly tick: number; readonly hex: string }[]): Body[] {
  const plans: readonly StatePlan[] = kinds.map((definition) => planState(definition, { tickHz: TICK_HZ }));
  let rows: number[][] = [];
  let texts: string[][] = [];
  const states = new CodedStates({
    plans,
    tickHz: TICK_HZ,
    columnsOf: () => undefined,
    takeStates: () => true,
    maxOf: () => 8,
    onLost: () => undefined,
    onState(entity, tick, place) {
      rows.push([entity.id, ...entity.rows.subarray(place, place + entity.plan.width)]);
      texts.push(entity.textsAt(tick).map(String));
    },
  });
  return bodies.map(({ tick, hex }) => {
    rows = [];
    texts = [];
    const bytes = Uint8Array.from(Buffer.from(hex, "hex"));
    expect(states.read(bytes, tick)).toBe(undefined);
    return { tick, hex, decoded: { kind: bytes[0]!, rows, texts } };
  });
}

if (process.env.PACELINE_WRITE_VECTORS) {
  const vector: Vector = {
    name: "own entities of two kinds, acknowledged after four ticks",
    rules: ["WF36"],
    tickHz: TICK_HZ,
    kinds: kinds.map(({ name, motion, fields }) => ({ name, motion, fields })),
    packets: read(written()),
  };
  writeFileSync(file, `[\n  ${JSON.stringify(vector)}\n]\n`);
}

const vectors = JSON.parse(readFileSync(file, "utf8")) as readonly Vector[];

test.each(vectors)("[WF36] $name", (vector) => {
  expect(vector.kinds).toEqual(kinds.map(({ name, motion, fields }) => ({ name, motion, fields })));
  expect(vector.packets.length).toBeGreaterThanOrEqual(12);
  expect(written()).toEqual(vector.packets.map(({ tick, hex }) => ({ tick, hex })));
  expect(read(vector.packets)).toEqual(vector.packets);
});
