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
  type Component,
  type EntityDefinition,
  type Field,
  type Leaf,
  type MotionModel,
  type Texts,
} from "@paceline/protocol";
import * as fc from "fast-check";

/** One state of an entity in the codec's form. */
export interface DrawnState {
  readonly values: Float64Array;
  readonly texts: Texts;
}

/** Returns any state that a definition allows. Bounds and zero are more frequent than in a uniform draw. */
export function stateArbitrary(definition: EntityDefinition): fc.Arbitrary<DrawnState> {
  const texts = definition.leaves.filter(({ count }) => count === 0).map(textArbitrary);
  return fc
    .tuple(fc.tuple(...definition.components.map(componentArbitrary)), fc.tuple(...texts))
    .map(([values, drawnTexts]) => ({ values: Float64Array.from(values), texts: drawnTexts }));
}

/** Returns a walk through states: each differs from the one before a little, a lot, or not at all. */
export function walkArbitrary(definition: EntityDefinition, length: number): fc.Arbitrary<DrawnState[]> {
  const step = fc.tuple(stateArbitrary(definition), fc.constantFrom(0, 0, 0, 0.001, 0.01, 1));
  return fc.array(step, { minLength: length, maxLength: length }).map((steps) => {
    let last = steps[0]![0];
    return steps.map(([drawn, share]) => {
      if (share === 1) last = drawn;
      else if (share > 0) last = between(definition, last, drawn, share);
      return last;
    });
  });
}

/** Returns any definition: every kind of field, nested or not, moving or not. */
export function definitionArbitrary(): fc.Arbitrary<EntityDefinition> {
  return fc
    .record({
      fields: fc.dictionary(fc.stringMatching(/^[a-ce-h]{1,6}$/), fieldArbitrary(), {
        minKeys: 1,
        maxKeys: 6,
      }),
      motion: fc.constantFrom<MotionModel>("hold", "velocity", "acceleration", "turn"),
      isFlat: fc.boolean(),
      hasVelocity: fc.boolean(),
    })
    .map(({ fields, motion, isFlat, hasVelocity }) => {
      const vector = (range: readonly [number, number]) =>
        isFlat ? vec2({ range, precision: 0.01, unit: "m" }) : vec3({ range, precision: 0.01, unit: "m" });
      const moving: Record<string, Field> = motion === "hold" ? {} : { position: vector([-500, 500]) };
      if (motion !== "hold" && hasVelocity) moving.velocity = vector([-50, 50]);
      return defineEntity("drawn", { ...fields, ...moving }, { motion });
    });
}

function fieldArbitrary(depth = 0): fc.Arbitrary<Field> {
  const range = fc.constantFrom<readonly [number, number]>([-1, 1], [0, 10], [-1000, 1000], [5, 6.5]);
  const precision = fc.constantFrom(0.001, 0.01, 0.3);
  const whole = fc.constantFrom<readonly [number, number]>([-127, 127], [0, 1], [3, 100_000], [-5, -2]);
  const simple: fc.Arbitrary<Field>[] = [
    fc.record({ range, precision }).map(vec2),
    fc.record({ range, precision }).map(vec3),
    fc.record({ range, precision }).map(scalar),
    precision.map((value) => angle({ precision: value, unit: "rad" })),
    precision.map((value) => quat({ precision: value, unit: "rad" })),
    whole.map((value) => int({ range: value })),
    fc.constant(uint({ range: [0, 255] })),
    fc.constant(flag()),
    fc.constantFrom(enumOf(["a", "b"]), enumOf(["idle", "run", "fall", "swim", "fly"])),
    fc.constant(string({ maxBytes: 20 })),
    fc.constant(bytes({ maxBytes: 9 })),
  ];
  if (depth > 1) return fc.oneof(...simple);
  const inner = fieldArbitrary(depth + 1);
  const nested = fc.oneof(
    fc.tuple(inner, fc.integer({ min: 1, max: 3 })).map(([item, length]) => list(item, length) as Field),
    fc.tuple(inner, inner).map(([a, b]) => group({ a, b }) as Field),
  );
  return fc.oneof({ weight: 5, arbitrary: fc.oneof(...simple) }, { weight: 1, arbitrary: nested });
}

function componentArbitrary({ kind, min, max }: Component): fc.Arbitrary<number> {
  switch (kind) {
    case "int":
    case "enum":
    case "flag":
      return fc.oneof(fc.integer({ min, max }), fc.constantFrom(min, max, Math.min(Math.max(0, min), max)));
    case "quat":
      // Not all four near zero, which would be no rotation.
      return fc.double({ min: 0.1, max: 1, noNaN: true }).chain((size) => fc.constantFrom(size, -size));
    case "angle":
      return fc.double({ min: -10, max: 10, noNaN: true });
    case "number": {
      const bound = Math.min(Math.max(0, min), max);
      return fc.oneof(
        fc.double({ min, max, noNaN: true, noDefaultInfinity: true }),
        fc.constantFrom(min, max, bound),
      );
    }
  }
}

function textArbitrary({ field }: Leaf): fc.Arbitrary<string | Uint8Array> {
  const maxBytes = "maxBytes" in field ? field.maxBytes : 0;
  if (field.kind === "bytes") return fc.uint8Array({ maxLength: maxBytes });
  return fc.string({ unit: "binary", maxLength: Math.floor(maxBytes / 4) });
}

function between(
  definition: EntityDefinition,
  last: DrawnState,
  drawn: DrawnState,
  share: number,
): DrawnState {
  const values = last.values.map((value, index) => {
    const { kind, min, max } = definition.components[index]!;
    if (kind === "flag" || kind === "enum") return value;
    const moved = value + (drawn.values[index]! - value) * share;
    if (kind === "int") return Math.round(moved);
    return kind === "number" ? Math.min(Math.max(moved, min), max) : moved;
  });
  return { values, texts: last.texts };
}
