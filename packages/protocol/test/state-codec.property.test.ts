import {
  ByteReader,
  ByteWriter,
  angle,
  defineEntity,
  flag,
  int,
  readComponents,
  readStateHead,
  scalar,
  stateBytes,
  vec2,
  writeComponents,
  writeState,
  type EntityDefinition,
  type Fields,
} from "@paceline/protocol";
import { array, assert, boolean, constantFrom, float, integer, property, tuple } from "fast-check";
import { describe, expect, test } from "vitest";
import { u16 } from "./arbitraries.js";

const thing = defineEntity("thing", {
  place: vec2({ range: [-4096, 4096], precision: 0.01 }),
  course: angle({ precision: 0.001, unit: "rad" }),
  charge: scalar({ range: [0, 0.1], precision: 0.01 }),
  lap: int({ range: [-3, 99] }),
  isOut: flag(),
}) as unknown as EntityDefinition;
const width = thing.components.length;

/** Values that a thing may have, as Float32. */
const within = (min: number, max: number) =>
  float({ min: Math.fround(min), max: Math.fround(max), noNaN: true });
const state = tuple(
  within(-4096, 4096),
  within(-4096, 4096),
  within(-Math.PI, Math.PI),
  within(0, 0.1),
  integer({ min: -3, max: 99 }),
  boolean().map(Number),
);

function accepts(values: readonly number[]): boolean {
  const writer = new ByteWriter();
  writeComponents(writer, values);
  return readComponents(new ByteReader(writer.take()), thing, new Float32Array(width));
}

describe("states", () => {
  test("[WF14] come back exactly, entry by entry", () => {
    assert(
      property(array(tuple(u16, state), { maxLength: 6 }), (entries) => {
        const writer = new ByteWriter(8);
        for (const [localId, values] of entries) writeState(writer, localId, values);
        expect(writer.length).toBe(entries.length * stateBytes(thing));
        const reader = new ByteReader(writer.take());
        const read = new Float32Array(width);
        for (const [localId, values] of entries) {
          expect(readStateHead(reader)).toEqual({ localId, componentCount: width });
          expect(readComponents(reader, thing, read)).toBe(true);
          expect([...read]).toEqual(values);
        }
        expect([reader.ok, reader.remaining]).toEqual([true, 0]);
      }),
    );
  });

  test("[WF14] declare their size, also with more than 127 components", () => {
    for (const fields of [1, 127, 128, 200]) {
      const names = Array.from({ length: fields }, (_, index) => [`f${index}`, flag()] as const);
      const definition = defineEntity("many", Object.fromEntries(names) as Fields);
      const writer = new ByteWriter();
      writeState(writer, 1, new Float32Array(fields));
      expect(writer.length).toBe(stateBytes(definition));
    }
  });

  test("[WF15] with one bad component are refused", () => {
    const bad = [Number.NaN, Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY, 4097, -4097, 1e30];
    assert(
      property(state, integer({ min: 0, max: width - 1 }), constantFrom(...bad), (values, index, value) => {
        expect(accepts(values)).toBe(true);
        expect(accepts(values.with(index, value))).toBe(false);
      }),
    );
  });

  test("[WF15] have whole numbers in int and flag", () => {
    assert(
      property(state, integer({ min: -3, max: 98 }), within(0.01, 0.99), (values, whole, fraction) => {
        expect(accepts(values.with(4, whole + fraction))).toBe(false);
        expect(accepts(values.with(5, fraction))).toBe(false);
      }),
    );
  });

  test("[WF15] may lie on a bound as Float32 rounds it, and no further", () => {
    const next = (value: number): number => {
      const bits = new Uint32Array(Float32Array.of(value).buffer);
      return new Float32Array(Uint32Array.of(bits[0]! + 1).buffer)[0]!;
    };
    for (const [index, bound] of [Math.PI, 0.1, 99, 1].entries()) {
      const component = index + 2;
      const values = [0, 0, 0, 0, 0, 0];
      expect(accepts(values.with(component, Math.fround(bound)))).toBe(true);
      expect(accepts(values.with(component, next(bound)))).toBe(false);
    }
    expect(accepts([-4096, 4096, -Math.fround(Math.PI), 0, -3, 0])).toBe(true);
  });

  test("[WF14] that end early are refused at every length", () => {
    const writer = new ByteWriter();
    writeComponents(writer, new Float32Array(width));
    for (let length = 0; length < width * 4; length++) {
      const reader = new ByteReader(writer.view().subarray(0, length));
      expect(readComponents(reader, thing, new Float32Array(width))).toBe(false);
      expect(reader.ok).toBe(false);
    }
  });
});
