import type { ByteWriter } from "./byte-writer.js";
import { encodeUtf8 } from "./utf8.js";

/**
 * Writes plain data as msgpack, each value in its shortest form; the caller has checked that it is plain. msgpackr reads it:
 * its writer alone is more than half of that library, which every page would download.
 */
export function writeMsgpack(writer: ByteWriter, value: unknown): void {
  if (typeof value === "string") writeText(writer, value);
  else if (typeof value === "number") writeNumber(writer, value);
  else if (typeof value === "boolean") writer.u8(value ? 0xc3 : 0xc2);
  else if (value instanceof Uint8Array) {
    writeLength(writer, value.length, [0xc4, 0xc5]);
    writer.bytes(value);
  } else if (Array.isArray(value)) {
    writeLength(writer, value.length, [0, 0xdc], 0x90, 0x0f);
    for (const item of value) writeMsgpack(writer, item);
  } else if (typeof value === "object" && value !== null) {
    const entries = Object.entries(value);
    writeLength(writer, entries.length, [0, 0xde], 0x80, 0x0f);
    for (const [key, item] of entries) {
      writeText(writer, key);
      writeMsgpack(writer, item);
    }
  } else writer.u8(0xc0);
}

function writeText(writer: ByteWriter, text: string): void {
  const encoded = encodeUtf8(text);
  writeLength(writer, encoded.length, [0xd9, 0xda], 0xa0, 0x1f);
  writer.bytes(encoded);
}

function writeNumber(writer: ByteWriter, value: number): void {
  if (value >>> 0 === value) {
    if (value < 0x80) writer.u8(value);
    else if (value < 0x100) writer.u8(0xcc).u8(value);
    else if (value < 0x1_0000) bigEndian(writer.u8(0xcd), value, 2);
    else bigEndian(writer.u8(0xce), value, 4);
  } else if (value >> 0 === value) {
    if (value >= -0x20) writer.u8(value);
    else if (value >= -0x80) writer.u8(0xd0).u8(value);
    else if (value >= -0x8000) bigEndian(writer.u8(0xd1), value, 2);
    else bigEndian(writer.u8(0xd2), value, 4);
  } else {
    const data = new DataView(new ArrayBuffer(8));
    data.setFloat64(0, value);
    writer.u8(0xcb).bytes(new Uint8Array(data.buffer));
  }
}

/**
 * @param formats of a length in one byte (0 where there is none) and in two; the one in four follows
 * @param fixed the format that holds lengths up to `maxFixed` itself
 */
function writeLength(
  writer: ByteWriter,
  length: number,
  [inOne, inTwo]: readonly [number, number],
  fixed = 0,
  maxFixed = -1,
): void {
  if (length <= maxFixed) writer.u8(fixed | length);
  else if (length < 0x100 && inOne > 0) writer.u8(inOne).u8(length);
  else if (length < 0x1_0000) bigEndian(writer.u8(inTwo), length, 2);
  else bigEndian(writer.u8(inTwo + 1), length, 4);
}

function bigEndian(writer: ByteWriter, value: number, width: number): void {
  for (let shift = 8 * (width - 1); shift >= 0; shift -= 8) writer.u8(value >>> shift);
}
