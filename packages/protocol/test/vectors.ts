import { readFileSync } from "node:fs";
import path from "node:path";

/** One entry of a file of vectors: see the README beside the files. */
export interface Vector<Decoded> {
  readonly name: string;
  readonly hex: string;
  readonly decoded: Decoded;
}

/** Returns the entries of a file of vectors. The caller casts them to their type. */
export function vectors(file: string): unknown {
  const text = readFileSync(path.join(import.meta.dirname, "vectors", `${file}.json`), "utf8");
  return JSON.parse(text) as unknown;
}

export function fromHex(hex: string): Uint8Array {
  return Uint8Array.from(hex.match(/../g) ?? [], (byte) => Number.parseInt(byte, 16));
}

export function toHex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Replaces bytes in a value by `{"$hex": ...}`, as the vectors write them. */
export function withHex(value: unknown): unknown {
  if (value instanceof Uint8Array) return { $hex: toHex(value) };
  if (Array.isArray(value)) return value.map(withHex);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withHex(item)]));
}

/** Replaces each `{"$hex": ...}` by its bytes: the reverse of {@link withHex}. */
export function withBytes(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withBytes);
  if (typeof value !== "object" || value === null) return value;
  if ("$hex" in value) return fromHex(String(value.$hex));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, withBytes(item)]));
}
