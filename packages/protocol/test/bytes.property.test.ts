import { ByteReader, ByteWriter, decodeUtf8, encodeUtf8 } from "@paceline/protocol";
import {
  array,
  assert,
  constantFrom,
  integer,
  property,
  record,
  string,
  tuple,
  uint8Array,
} from "fast-check";
import { describe, expect, test } from "vitest";

const numeric = constantFrom("u8" as const, "u16" as const, "u32" as const, "varint" as const);
const greatest = { u8: 0xff, u16: 0xffff, u32: 0xffffffff, varint: 2 ** 21 - 1 };
const numbers = array(
  numeric.chain((type) =>
    record({ type: constantFrom(type), value: integer({ min: 0, max: greatest[type] }) }),
  ),
);
const text = string({ unit: "binary", maxLength: 40 });

function isSame(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

describe("ByteWriter and ByteReader", () => {
  test("[WF1] write and read values in any order", () => {
    assert(
      property(numbers, (written) => {
        // The small capacity makes the buffer grow.
        const writer = new ByteWriter(1);
        for (const { type, value } of written) writer[type](value);
        const reader = new ByteReader(writer.view());
        for (const { type, value } of written) expect(reader[type]()).toBe(value);
        expect([reader.ok, reader.remaining]).toEqual([true, 0]);
      }),
    );
  });

  test("[WF1] write little-endian", () => {
    const bytes = new ByteWriter().u16(0x0102).u32(0x03040506).take();
    expect([...bytes]).toEqual([2, 1, 6, 5, 4, 3]);
  });

  test("[WF1] write and read text and bytes", () => {
    assert(
      property(text, uint8Array({ maxLength: 300 }), (written, bytes) => {
        const reader = new ByteReader(new ByteWriter(1).text(written).bytes(bytes).take());
        // Unpaired surrogates have no UTF-8; the platform writes U+FFFD for them.
        expect(reader.text(200)).toBe(decodeUtf8(encodeUtf8(written)));
        expect(reader.rest()).toEqual(bytes);
        expect(reader.ok).toBe(true);
      }),
    );
  });

  test("take copies, view does not", () => {
    const writer = new ByteWriter().u8(1);
    const [taken, view] = [writer.take(), writer.view()];
    writer.reset().u8(2);
    expect([taken[0], view[0], writer.length]).toEqual([1, 2, 1]);
  });

  test("gives each released run of bytes a view of its own", () => {
    const writer = new ByteWriter(4);
    const [first, second, third] = [1, 2, 3].map((value) => {
      writer.reset().u8(value);
      expect([...writer.view()]).toEqual([value]);
      return writer.release();
    });
    writer.reset().u16(0x0505);
    expect([...writer.view(), ...first!, ...second!, ...third!]).toEqual([5, 5, 1, 2, 3]);
  });
});

describe("ByteReader", () => {
  test("reads other bytes from their start, even after a failed read", () => {
    const reader = new ByteReader(Uint8Array.of(1));
    expect([reader.u16(), reader.ok]).toEqual([0, false]);
    reader.restart(Uint8Array.of(7, 8));
    expect([reader.u8(), reader.remaining, reader.ok]).toEqual([7, 1, true]);
  });

  test("[WF1] accepts exactly the shortest encoding of a varint", () => {
    assert(
      property(uint8Array({ minLength: 1, maxLength: 5 }), (bytes) => {
        const reader = new ByteReader(bytes);
        const value = reader.varint();
        const used = bytes.subarray(0, bytes.length - reader.remaining);
        const isExact = isSame(new ByteWriter().varint(value).take(), used);
        expect(reader.ok ? isExact : value === 0).toBe(true);
      }),
      { numRuns: 2000 },
    );
  });

  test.each([
    [[0x80]],
    [[0x80, 0x00]],
    [[0xff, 0x80, 0x00]],
    [[0x80, 0x80, 0x80]],
    [[0xff, 0xff, 0xff, 0x01]],
  ])("[WF1] refuses the varint %o", (bytes) => {
    const reader = new ByteReader(Uint8Array.from(bytes));
    expect([reader.varint(), reader.ok]).toEqual([0, false]);
  });

  test.each([
    [[1, 0xc3], 8],
    [[2, 0xc3, 0x28], 8],
    [[3, 0xed, 0xa0, 0x80], 8],
    [[3, 0x61, 0x62], 8],
    [[3, 0x61, 0x62, 0x63], 2],
  ])("[WF1] refuses the text %o of at most %i bytes", (bytes, maxBytes) => {
    const reader = new ByteReader(Uint8Array.from(bytes));
    expect([reader.text(maxBytes), reader.ok]).toEqual(["", false]);
  });

  test("[WF2] returns zeros and no bytes after a read past the end", () => {
    const reads = constantFrom("u8" as const, "u16" as const, "u32" as const, "varint" as const);
    assert(
      property(
        uint8Array({ maxLength: 12 }),
        array(tuple(reads, integer({ min: 0, max: 9 }))),
        (bytes, plan) => {
          const reader = new ByteReader(bytes);
          for (const [read, count] of plan) {
            const wasOk = reader.ok;
            const value = reader[read]();
            const view = reader.bytes(count);
            expect(view.length === count || !reader.ok).toBe(true);
            expect(wasOk || (value === 0 && view.length === 0 && !reader.ok)).toBe(true);
          }
          expect(reader.remaining).toBeGreaterThanOrEqual(0);
        },
      ),
    );
  });

  test("reads a view at an offset of its buffer", () => {
    const whole = Uint8Array.of(9, 9, 1, 2, 3, 4, 9);
    const reader = new ByteReader(whole.subarray(2, 6));
    expect([reader.u32(), reader.remaining, reader.u8(), reader.ok]).toEqual([0x04030201, 0, 0, false]);
  });
});
