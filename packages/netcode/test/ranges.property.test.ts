import { EntityTable, defineFields, type Clamp, type WritableFields } from "@paceline/netcode";
import {
  ConfigError,
  angle,
  bytes,
  defineEntity,
  group,
  int,
  list,
  scalar,
  string,
  uint,
  vec2,
  vec3,
  type EntityDefinition,
  type Fields,
} from "@paceline/protocol";
import { array, assert, double, integer, oneof, property, tuple } from "fast-check";
import { describe, expect, test } from "vitest";

/** Creates a view of one entity, and records its clamped writes. */
function viewOf<F extends Fields>(definition: EntityDefinition<F>) {
  const known = definition as unknown as EntityDefinition;
  const table = new EntityTable(known);
  const place = { table, row: table.allocate() };
  const clamps: Clamp[] = [];
  const onClamp = (clamp: Clamp): void => void clamps.push(clamp);
  const view = defineFields({}, known, { place, layer: "state", isWritable: true, onClamp });
  return { view: view as WritableFields<F>, clamps };
}

const bound = double({ min: -1e6, max: 1e6, noNaN: true });
const anyRange = tuple(bound, double({ min: 0.1, max: 1e6, noNaN: true })).map(
  ([min, width]) => [min, min + width] as const,
);
/** Numbers near the bounds, far away, and infinite. */
const anyNumber = oneof(double({ noNaN: true }), double({ min: -2e6, max: 2e6, noNaN: true }), integer());

describe("a write", () => {
  test("of a scalar or vector is clamped and reported, and its value can be written back", () => {
    assert(
      property(anyRange, array(anyNumber, { minLength: 6, maxLength: 6 }), (range, values) => {
        const [min, max] = range;
        const one = scalar({ range, precision: 0.01 });
        const definition = defineEntity("it", {
          one,
          two: vec2({ range, precision: 0.01 }),
          three: vec3({ range, precision: 0.01 }),
          many: list(one, 1),
          nested: group({ one }),
        });
        const { view, clamps } = viewOf(definition);
        const [a, b, c, d, e, f] = values as [number, number, number, number, number, number];
        view.one = a;
        view.two.set(a, b);
        view.three.set(c, d, e);
        view.many[0] = f;
        view.nested.one = f;
        const written = [a, a, b, c, d, e, f, f];
        const read = (): number[] => [
          view.one,
          ...[view.two.x, view.two.y],
          ...[view.three.x, view.three.y, view.three.z],
          view.many[0]!,
          view.nested.one,
        ];
        const expected = written.map((value) => Math.fround(Math.min(Math.max(value, min), max)));
        // Both zeros are in the range.
        const unsigned = (numbers: readonly number[]): number[] => numbers.map((value) => value + 0);
        expect(unsigned(read())).toEqual(unsigned(expected));
        const isBound = (value: number): boolean =>
          Math.fround(value) === Math.fround(min) || Math.fround(value) === Math.fround(max);
        const isOutside = (value: number): boolean => (value < min || value > max) && !isBound(value);
        expect(clamps.map(({ value }) => value)).toEqual(written.filter(isOutside));
        clamps.length = 0;
        const [one_, x, y, u, v, w, item, member] = read() as [number, ...number[]];
        view.one = one_;
        view.two.set(x!, y!);
        view.three.set(u!, v!, w!);
        view.many[0] = item!;
        view.nested.one = member!;
        expect(unsigned(read())).toEqual(unsigned(expected));
        expect(clamps).toEqual([]);
      }),
      {
        examples: [
          [
            [0, 0.1],
            [0, 0, 0, 0, -0, 0],
          ],
        ],
      },
    );
  });

  test("of an angle is wrapped to half a turn, and keeps the direction", () => {
    const { view, clamps } = viewOf(defineEntity("it", { turn: angle({ precision: 0.01, unit: "rad" }) }));
    assert(
      property(double({ min: -1e4, max: 1e4, noNaN: true }), (value) => {
        view.turn = value;
        expect(Math.abs(view.turn)).toBeLessThanOrEqual(Math.fround(Math.PI));
        expect(Math.cos(view.turn - value)).toBeCloseTo(1, 5);
      }),
    );
    expect(clamps).toEqual([]);
  });

  const Strict = defineEntity(
    "strict",
    {
      speed: scalar({ range: [0, 5], precision: 0.1, unit: "m/s" }),
      at: vec2({ range: [0, 5], precision: 0.1 }),
    },
    { strict: true },
  );

  test("out of range throws if the kind is strict, and changes nothing", () => {
    const { view, clamps } = viewOf(Strict);
    assert(
      property(anyNumber, (value) => {
        const before = { ...view.at, speed: view.speed };
        const isOutside = Math.fround(value) < 0 || Math.fround(value) > 5;
        const write = (): void => view.at.set(1, value);
        if (!isOutside) return write();
        expect(write).toThrow("strict.at.y: expected a number from 0 to 5");
        expect(() => (view.speed = value)).toThrow("strict.speed: expected a number from 0 to 5 m/s");
        expect({ ...view.at, speed: view.speed }).toEqual(before);
      }),
    );
    expect(clamps).toEqual([]);
  });

  test("of an invalid whole number, text, bytes or NaN throws, strict or not", () => {
    const { view, clamps } = viewOf(
      defineEntity("it", {
        gear: int({ range: [-1, 6] }),
        ammo: uint({ range: [0, 30] }),
        name: string({ maxBytes: 3 }),
        blob: bytes({ maxBytes: 3 }),
        speed: scalar({ range: [0, 5], precision: 0.1 }),
        at: vec2({ range: [0, 5], precision: 0.1 }),
        turn: angle({ precision: 0.01, unit: "rad" }),
      }),
    );
    const wrong: (() => void)[] = [
      () => (view.gear = 7),
      () => (view.gear = -Infinity),
      () => (view.ammo = -1),
      () => (view.ammo = 2 ** 24 + 1),
      () => (view.ammo = 1.5),
      () => (view.name = "long"),
      () => (view.blob = new Uint8Array(4)),
      () => (view.speed = Number.NaN),
      () => (view.speed = "3" as never),
      () => (view.at.x = Number.NaN),
      () => view.at.set(1, undefined as never),
      () => (view.turn = Number.NaN),
      () => (view.turn = Infinity),
    ];
    for (const write of wrong) expect(write).toThrow(ConfigError);
    expect(clamps).toEqual([]);
  });

  test("reports the field, the value and the range of a clamp", () => {
    const definition = defineEntity("ship", { at: vec2({ range: [0, 800], precision: 0.1, unit: "px" }) });
    const { view, clamps } = viewOf(definition);
    view.at.x = 801.25;
    expect(view.at.x).toBe(800);
    expect(clamps).toEqual([{ field: "ship.at.x", value: 801.25, range: [0, 800], unit: "px" }]);
  });

  test("option strict is true or false", () => {
    const fields = { speed: scalar({ range: [0, 5], precision: 0.1 }) };
    expect(() => defineEntity("it", fields, { strict: "no" as never })).toThrow(
      "it.strict: expected true or false",
    );
  });
});
