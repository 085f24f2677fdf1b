import {
  MAX_COLUMN_BYTES,
  announceStream,
  defineEntity,
  flag,
  int,
  matchStream,
  planState,
  quantise,
  readStreamAnnouncement,
  restore,
  scalar,
  takeStreamState,
  vec2,
  type EntityDefinition,
  type Field,
} from "@paceline/protocol";
import { definitionArbitrary, seededRandom, stateArbitrary } from "@paceline/testkit";
import * as fc from "fast-check";
import { expect, test } from "vitest";
import { StateWorld, TICK_HZ } from "./state-world.js";

function layoutOf(definition: EntityDefinition) {
  const { min, max, turn, step, groups, width, texts } = planState(definition, { tickHz: TICK_HZ });
  return { min, max, turn, step, groups, width, texts: texts.map(({ field }) => field.kind) };
}

test("an announcement lays states out as their sender does, in at most 24 bytes a column", () => {
  fc.assert(
    fc.property(definitionArbitrary(), (definition) => {
      const announcement = announceStream(definition, TICK_HZ);
      const columns = definition.leaves.reduce((sum, { count }) => sum + Math.max(1, count), 0);
      expect(announcement.length).toBeLessThanOrEqual(4 + columns * MAX_COLUMN_BYTES);
      const announced = readStreamAnnouncement(announcement)!;
      expect(layoutOf(announced.definition)).toEqual(layoutOf(definition));
      expect(announced.keys).toEqual(definition.leaves.map(({ path }) => path));
    }),
    { numRuns: 200 },
  );
});

/** What became of a field at the reader. */
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

/** A definition, and one that another build made of it: fields removed, widened, of another kind, added, in another order. */
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
        // A definition that moves keeps what moves it.
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
        const announced = readStreamAnnouncement(announceStream(sent, TICK_HZ))!;
        const match = matchStream(own, announced);
        const into = decoded(sent, announced.definition, state, (values) => {
          const taken = new Float64Array(own.components.length);
          takeStreamState(own, match, values, taken);
          return taken;
        });
        const expectedState = exact(sent, state.values);
        const refused = own.leaves.filter(({ path }) => isRefused(changes, path)).map(({ path }) => path);
        expect(match.refused.filter((path) => !refused.includes(path))).toEqual([]);
        expect(match.missing.includes("added")).toBe("added" in own.fields);
        for (const { path, offset, count, field } of own.leaves) {
          const same = sent.leaves.find((leaf) => leaf.path === path && leaf.field.kind === field.kind);
          expect(count > 0 || match.texts[offset] === (same ? same.offset : -1)).toBe(true);
          for (let index = 0; index < count; index++) {
            const component = own.components[offset + index]!;
            if (!component.isSent) continue;
            const wanted = same ? expectedState[same.offset + index] : component.initial;
            expect(into[offset + index]).toBe(wanted);
          }
          expect(match.missing.includes(path)).toBe(!sent.leaves.some((leaf) => leaf.path === path));
        }
      },
    ),
    { numRuns: 200 },
  );
});

function isRefused(changes: ReadonlyMap<string, Change>, path: string): boolean {
  return changes.get(path.split(".", 1)[0]!) === "other kind";
}

/** The values as they are after rounding. */
function exact(definition: EntityDefinition, values: Float64Array): Float64Array {
  const plan = planState(definition, { tickHz: TICK_HZ });
  const row = new Int32Array(plan.width);
  quantise(plan, values, row, 0);
  const rounded = new Float64Array(definition.components.length);
  restore(plan, row, 0, rounded);
  return rounded;
}

/** Through the codec's bytes, read with the announced definition. */
function decoded<Result>(
  sent: EntityDefinition,
  announced: EntityDefinition,
  state: { readonly values: Float64Array; readonly texts: readonly (string | Uint8Array)[] },
  take: (values: Float64Array) => Result,
): Result {
  const sender = new StateWorld([sent]);
  const reader = new StateWorld([announced]).receiver();
  const entity = sender.history.spawn(3, sender.plans[0]!);
  sender.put(entity, 0, state);
  const results: Result[] = [];
  sender.sender().write(0, [entity], (body) => {
    const reason = reader.reader.read(body, 0, {
      onState: ({ plan, rows }, _tick, place) => {
        const values = new Float64Array(announced.components.length);
        restore(plan, rows, place, values);
        results.push(take(values));
      },
      onRemoved: () => undefined,
      onDesync: () => undefined,
    });
    expect(reason).toBe(undefined);
    return 0;
  });
  return results[0]!;
}

test("a field is found by the number that both definitions pin, whatever it is called", () => {
  const sent = defineEntity("sent", { aVeryLongNameOfAField: scalar({ range: [0, 1], precision: 0.1 }) });
  const own = defineEntity("own", { short: scalar({ range: [0, 2], precision: 0.1 }) });
  const announced = readStreamAnnouncement(announceStream(sent, 20, { aVeryLongNameOfAField: 4 }))!;
  expect(Array.from(matchStream(own, announced, { short: 4 }).components)).toEqual([0]);
  expect(matchStream(own, announced)).toMatchObject({ missing: ["short"], unknown: [4] });
});

test("a column that would take more than 24 bytes is the caller's mistake", () => {
  const definition = defineEntity("wide", { third: scalar({ range: [-Math.PI, Math.E], precision: 1 / 3 }) });
  expect(() => announceStream(definition, 20)).toThrow(/wide\.third.*24 bytes/);
});

test("announcements of any bytes describe a stream that can be laid out, or none", () => {
  const random = seededRandom(9);
  const drawn = fc.sample(definitionArbitrary(), { numRuns: 40, seed: 5 });
  let sound = 0;
  for (let count = 0; count < 20_000; count++) {
    const bytes = announceStream(drawn[count % drawn.length]!, TICK_HZ);
    for (let times = random.int(1, 3); times > 0; times--)
      bytes[random.int(0, bytes.length - 1)] = random.int(0, 255);
    const cut = random.bool(0.2) ? bytes.subarray(0, random.int(0, bytes.length)) : bytes;
    const announced = readStreamAnnouncement(cut);
    if (!announced) continue;
    sound += 1;
    expect(announced.keys.length).toBe(announced.definition.leaves.length);
    planState(announced.definition, { tickHz: announced.tickHz });
  }
  expect(sound).toBeGreaterThan(100);
  expect(sound).toBeLessThan(20_000);
});
