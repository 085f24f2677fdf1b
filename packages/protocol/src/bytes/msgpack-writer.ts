import { ByteWriter } from "./byte-writer.js";
import { encodeUtf8 } from "./utf8.js";

const writer = new ByteWriter();
const floatBytes = new Uint8Array(8);
const float = new DataView(floatBytes.buffer);

/**
 * Encodes plain data, each value in its shortest format, numbers that are no 32-bit integers as float 64. Leaves
 * out members that are undefined, and writes undefined items as nil and -0 as 0. Returns bytes that the next
 * call overwrites. The caller checks the value.
 */
export function writeMsgpack(value: unknown): Uint8Array {
  writer.reset();
  writeValue(value);
  return writer.view();
}

function writeValue(value: unknown): void {
  if (typeof value === "string") writeText(value);
  else if (typeof value === "number") writeNumber(value);
  else if (typeof value === "boolean") writer.u8(value ? 0xc3 : 0xc2);
  else if (value instanceof Uint8Array) writeBytes(value);
  else if (Array.isArray(value)) writeArray(value);
  else if (value) writeObject(value);
  else writer.u8(0xc0);
}

function writeText(text: string): void {
  const encoded = encodeUtf8(text);
  if (encoded.length < 0x20) writer.u8(0xa0 | encoded.length);
  else if (encoded.length < 0x100) writer.u8(0xd9).u8(encoded.length);
  else writeLength(0xda, encoded.length);
  writer.bytes(encoded);
}

function writeBytes(bytes: Uint8Array): void {
  if (bytes.length < 0x100) writer.u8(0xc4).u8(bytes.length);
  else writeLength(0xc5, bytes.length);
  writer.bytes(bytes);
}

function writeArray(items: readonly unknown[]): void {
  if (items.length < 0x10) writer.u8(0x90 | items.length);
  else writeLength(0xdc, items.length);
  // An index reaches holes, which are written as undefined items are.
  for (let index = 0; index < items.length; index++) writeValue(items[index]);
}

function writeObject(object: object): void {
  const entries = Object.entries(object).filter(([, value]) => value !== undefined);
  if (entries.length < 0x10) writer.u8(0x80 | entries.length);
  else writeLength(0xde, entries.length);
  for (const [key, value] of entries) {
    writeText(key);
    writeValue(value);
  }
}

/** @param format the format with a length of 16 bits; the next one has a length of 32 bits */
function writeLength(format: number, length: number): void {
  if (length < 0x10000) writeInteger(format, length, 2);
  else writeInteger(format + 1, length, 4);
}

function writeNumber(value: number): void {
  // -0 equals 0 here.
  if (value >>> 0 === value) writeUnsigned(value);
  else if (value >> 0 === value) writeNegative(value);
  else {
    float.setFloat64(0, value);
    writer.u8(0xcb).bytes(floatBytes);
  }
}

function writeUnsigned(value: number): void {
  if (value < 0x80) writer.u8(value);
  else if (value < 0x100) writeInteger(0xcc, value, 1);
  else if (value < 0x10000) writeInteger(0xcd, value, 2);
  else writeInteger(0xce, value, 4);
}

function writeNegative(value: number): void {
  if (value >= -0x20) writer.u8(value);
  else if (value >= -0x80) writeInteger(0xd0, value, 1);
  else if (value >= -0x8000) writeInteger(0xd1, value, 2);
  else writeInteger(0xd2, value, 4);
}

/** Writes a format and an integer in two's complement, the highest byte first. */
function writeInteger(format: number, value: number, bytes: number): void {
  writer.u8(format);
  for (let shift = 8 * (bytes - 1); shift >= 0; shift -= 8) writer.u8(value >> shift);
}
