import {
  MAX_COLUMN_BYTES,
  SnapshotWriter,
  SnapshotReader,
  SoleReceiver,
  StateHistory,
  defineEntity,
  describeColumns,
  enumOf,
  flag,
  int,
  matchColumns,
  planState,
  quantise,
  restore,
  scalar,
  vec2,
  type EntityDefinition,
  type EntityRows,
  type Field,
  type Leaf,
  type StatePlan,
} from "@paceline/protocol";
import { definitionArbitrary, seededRandom, stateArbitrary } from "@paceline/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { TICK_HZ } from "./state-world.js";

const options = { tickHz: TICK_HZ, hasRates: true };

test("described columns lay states out as their sender does, in at most 24 bytes a column", () => {
  fc.assert(
    fc.property(definitionArbitrary(), (definition) => {
      const columns = describeColumns(definition);
      const count = definition.leaves.reduce((sum, leaf) => sum + Math.max(1, leaf.count), 0);
      expect(columns.length).toBeLessThanOrEqual(3 + count * MAX_COLUMN_BYTES);
      const { plan, differences } = matchColumns(definition, columns, options)!;
      const { texts, ...own } = planState(definition, options);
      expect(plan).toMatchObject(own);
      expect(plan!.texts.map(({ field }) => field.kind)).toEqual(texts.map(({ field }) => field.kind));
      expect(differences).toEqual([]);
    }),
    { numRuns: 200 },
  );
});

/** Difference between a field of the sender and the reader's. */
type Change = "kept" | "removed" | "widened" | "other kind";

function changed(field: Field, change: Change): Field | undefined {
  if (change === "removed") return undefined;
  if (change === "other kind") return field.kind === "flag" ? int({ range: [-9, 9] }) : flag();
  if (change !== "widened") return field;
  const range = [field.range[0] - 5, field.range[1] + 5] as const;
  if (field.kind === "vec2" || field.kind === "scalar") {
    const wider = { range, precision: field.precision * 2, unit: field.unit };
    return field.kind === "vec2" ? vec2(wider) : scalar(wider);
  }
  return field.kind === "int" ? int({ range }) : field;
}

interface Versions {
  readonly sent: EntityDefinition;
  readonly own: EntityDefinition;
  readonly changes: ReadonlyMap<string, Change>;
}

/**
 * A definition, and another build's version of it: with fields removed, widened, of another kind, added or
 * reordered.
 */
const versions: fc.Arbitrary<Versions> = definitionArbitrary().chain((sent) => {
  const names = Object.keys(sent.fields);
  const change = fc.constantFrom<Change>("kept", "kept", "removed", "widened", "other kind");
  return fc
    .tuple(fc.array(change, { minLength: names.length, maxLength: names.length }), fc.nat(), fc.boolean())
    .map(([drawn, turn, isNewer]) => {
      const changes = new Map<string, Change>();
      const fields: Record<string, Field> = {};
      if (isNewer) fields.added = int({ range: [0, 9], default: 7 });
      for (const index of names.keys()) {
        const at = (index + turn) % names.length;
        const name = names[at]!;
        // A moving definition keeps the fields that move it.
        const isFixed = sent.motion !== "hold" && (name === "position" || name === "velocity");
        changes.set(name, isFixed ? "kept" : drawn[at]!);
        const field = changed(sent.fields[name]!, changes.get(name)!);
        if (field) fields[name] = field;
      }
      if (Object.keys(fields).length === 0) fields.added = int({ range: [0, 9], default: 7 });
      return { sent, own: defineEntity("own", fields, { motion: sent.motion }), changes };
    });
});

test("between builds whose fields differ known fields come right, unknown ones are skipped, the rest keeps its default", () => {
  fc.assert(
    fc.property(
      versions.chain((each) => fc.tuple(fc.constant(each), stateArbitrary(each.sent))),
      ([{ sent, own, changes }, state]) => {
        const { plan, differences } = matchColumns(own, describeColumns(sent), options)!;
        const isShared = own.leaves.some(({ path, field }) =>
          sent.leaves.some((leaf) => leaf.path === path && leaf.field.kind === field.kind),
        );
        expect(plan !== undefined).toBe(isShared);
        if (!plan) return;
        const into = decoded(sent, plan, state);
        const expectedState = exact(sent, state.values);
        for (const leaf of own.leaves)
          expectField({ sent, own, changes }, leaf, { plan, into, expectedState });
        for (const { path, field } of own.leaves) {
          const same = sent.leaves.find((leaf) => leaf.path === path && leaf.field.kind === field.kind);
          const isWidened = same !== undefined && changes.get(path) === "widened" && same.field !== field;
          const told = differences.filter((each) => each.includes(`"${path}"`));
          expect(told.length > 0).toBe(!same || isWidened);
        }
        const unknown = sent.leaves.filter(({ path }) => !own.leaves.some((leaf) => leaf.path === path));
        expect(differences).toEqual(expect.arrayContaining(unknown.map(({ path }) => `"${path}" besides`)));
      },
    ),
    { numRuns: 200 },
  );
});

interface Taken {
  readonly plan: StatePlan;
  readonly into: Float64Array;
  readonly expectedState: Float64Array;
}

function expectField(
  { sent, own }: Versions,
  { path, offset, count, field }: Leaf,
  { plan, into, expectedState }: Taken,
): void {
  const same = sent.leaves.find((leaf) => leaf.path === path && leaf.field.kind === field.kind);
  expect(count > 0 || plan.textOf![offset] === (same ? same.offset : -1)).toBe(true);
  for (let index = 0; index < count; index++) {
    const component = own.components[offset + index]!;
    const wanted = same ? clamp(expectedState[same.offset + index]!, component) : component.initial;
    expect(!component.isSent || Object.is(into[offset + index], wanted)).toBe(true);
  }
}

/** Clamps a value to the range of the reader's field. */
function clamp(value: number, { min, max, kind }: EntityDefinition["components"][number]): number {
  return kind === "angle" || kind === "quat" ? value : Math.min(Math.max(value, min), max);
}

/**
 * Returns the values after rounding. The plan announces ranges in steps, so a value at a bound may round out
 * of the range.
 */
function exact(definition: EntityDefinition, values: Float64Array): Float64Array {
  const highest = new Float64Array(definition.components.length).fill(Infinity);
  const lowest = highest.map((bound) => -bound);
  const plan = { ...planState(definition, options), lowest, highest };
  const row = new Int32Array(plan.width);
  quantise(plan, values, row, 0);
  const rounded = new Float64Array(definition.components.length);
  restore(plan, row, 0, rounded);
  return rounded;
}

/** Sends a state through the codec, and decodes it into an initial state. */
function decoded(
  sent: EntityDefinition,
  plan: StatePlan,
  state: { readonly values: Float64Array; readonly texts: readonly (string | Uint8Array)[] },
): Float64Array {
  const plans = [planState(sent, options)];
  const history = new StateHistory({ plans });
  const sender = new SoleReceiver({ writer: new SnapshotWriter(plans) });
  const reader = new SnapshotReader({ plans: [plan], historyTicks: 64, maxEntities: 9 });
  const entity = history.spawn(3, plans[0]!);
  history.write(entity, 0, state.values, state.texts);
  const values = Float64Array.from(plan.definition.components, ({ initial }) => initial);
  sender.write(0, [entity], ({ body }) => {
    const onState = ({ rows }: EntityRows, _tick: number, place: number): void =>
      restore(plan, rows, place, values);
    const reason = reader.read(body, 0, { onState, onRemoved: () => undefined, onDesync: () => undefined });
    expect(reason).toBe(undefined);
    return 0;
  });
  return values;
}

test("a number stands for a name that is long, and is found all the same", () => {
  const long = "theNameOfAFieldThatIsLongerThanAColumnMayBe";
  const third = scalar({ range: [-Math.PI, Math.E], precision: 1 / 3, unit: "m" });
  const definition = defineEntity("sent", { [long]: third, other: flag() });
  const columns = describeColumns(definition);
  expect(columns.length).toBeLessThanOrEqual(3 + 2 * MAX_COLUMN_BYTES);
  const own = defineEntity("own", { other: flag(), [long]: third });
  const { plan, differences } = matchColumns(own, columns, options)!;
  expect([Array.from(plan!.columnOf), differences]).toEqual([[3, 2], ["its fields in another order"]]);
});

test("an enum's value that the reader does not know leaves its own as it is", () => {
  const sent = defineEntity("sent", { gear: enumOf(["off", "slow", "fast"]) });
  const own = defineEntity("own", { gear: enumOf(["off", "slow"]) });
  const { plan } = matchColumns(own, describeColumns(sent), options)!;
  for (const [value, expected] of [
    [1, 1],
    [2, 0],
  ] as const)
    expect(decoded(sent, plan!, { values: Float64Array.of(value), texts: [] })[0]).toBe(expected);
});

test("columns of any bytes describe a stream that can be laid out, or none", () => {
  const random = seededRandom(9);
  const drawn = fc.sample(definitionArbitrary(), { numRuns: 40, seed: 5 });
  let sound = 0;
  for (let count = 0; count < 20_000; count++) {
    const definition = drawn[count % drawn.length]!;
    const bytes = describeColumns(definition);
    for (let times = random.int(1, 3); times > 0; times--)
      bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
    const cut = random.bool(0.2) ? bytes.subarray(0, random.int(0, bytes.length)) : bytes;
    const match = matchColumns(definition, cut, options);
    if (!match?.plan) continue;
    sound += 1;
    const { min, max, width, bits } = match.plan;
    expect(width).toBeLessThanOrEqual(512);
    for (let column = 0; column < width; column++)
      expect(max[column]! - min[column]!).toBeGreaterThanOrEqual(0);
    expect(Math.max(...bits)).toBeLessThanOrEqual(31);
  }
  expect(sound).toBeGreaterThan(100);
  expect(sound).toBeLessThan(20_000);
});

test("fields in another order are named as the difference, and are read", () => {
  const x = scalar({ range: [0, 10], precision: 0.1 });
  const own = defineEntity("cart", { x, y: x });
  const { plan, differences } = matchColumns(own, describeColumns(defineEntity("cart", { y: x, x })), {
    tickHz: 60,
  })!;
  expect(differences).toEqual(["its fields in another order"]);
  expect(plan).toBeDefined();
});
