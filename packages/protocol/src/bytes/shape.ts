import { isFields } from "./fields.js";
import { decodeValue } from "./value-codec.js";

/** Reads an untrusted value. Returns undefined if it is malformed. */
export type Reader<T> = (value: unknown) => T | undefined;

/** A reader for each property. */
export type Readers<M> = { readonly [Name in keyof M]-?: Reader<M[Name]> };

/** Result of a reader for a property that {@link shape} leaves out. */
const LEFT_OUT = Symbol("left out");

export const anything: Reader<unknown> = (value) => value;

export const boolean: Reader<boolean> = (value) => (typeof value === "boolean" ? value : undefined);

/** Reads text of 1 to 1024 characters. */
export const text: Reader<string> = (value) => (value === "" ? undefined : textOf(value, 1024));

export const number16: Reader<number> = (value) => wholeOf(value, 0, 0xffff);
export const number32: Reader<number> = (value) => wholeOf(value, 0, 0xffffffff);

export function textOf(value: unknown, maxCharacters: number): string | undefined {
  return typeof value === "string" && value.length <= maxCharacters ? value : undefined;
}

export function numberOf(value: unknown, min: number, max: number): number | undefined {
  return typeof value === "number" && value >= min && value <= max ? value : undefined;
}

export function wholeOf(value: unknown, min: number, max: number): number | undefined {
  return Number.isInteger(value) ? numberOf(value, min, max) : undefined;
}

/** Copies the bytes, so that they do not keep the packet's memory alive. */
export function bytesOf(value: unknown, maxBytes: number): Uint8Array | undefined {
  return value instanceof Uint8Array && value.length <= maxBytes ? Uint8Array.from(value) : undefined;
}

/**
 * Reads a property that may be absent. If it is there, it must be well-formed.
 * @__NO_SIDE_EFFECTS__
 */
export function optional<T>(read: Reader<T>): Reader<T> {
  return (value) => (value === undefined ? (LEFT_OUT as T) : read(value));
}

/**
 * Reads a property that is left out if it is malformed.
 * @__NO_SIDE_EFFECTS__
 */
export function ifValid<T>(read: Reader<T>): Reader<T> {
  return (value) => read(value) ?? (LEFT_OUT as T);
}

/** @__NO_SIDE_EFFECTS__ */
export function oneOf<const T>(...known: readonly T[]): Reader<T> {
  return (value) => known.find((each) => each === value);
}

/** @__NO_SIDE_EFFECTS__ */
export function listOf<T>(read: Reader<T>, maxItems = Infinity): Reader<T[]> {
  return (value) => {
    if (!Array.isArray(value) || value.length > maxItems) return undefined;
    const items = value.map(read);
    return items.includes(undefined) ? undefined : (items as T[]);
  };
}

/**
 * Reads an object with these properties. Others are left out.
 * @__NO_SIDE_EFFECTS__
 */
export function shape<M>(readers: Readers<M>): Reader<M> {
  return (value) => {
    if (!isFields(value)) return undefined;
    const fields: Record<string, unknown> = {};
    for (const [name, read] of Object.entries<Reader<unknown>>(readers)) {
      const field = read(value[name]);
      if (field === undefined) return undefined;
      if (field !== LEFT_OUT) fields[name] = field;
    }
    return fields as M;
  };
}

type OfType<M, Type> = Omit<Extract<M, { readonly type: Type }>, "type">;

/**
 * Reads messages of several types, each with its own properties, from msgpack.
 * @__NO_SIDE_EFFECTS__
 */
export function messageReader<M extends { readonly type: string }>(shapes: {
  readonly [Type in M["type"]]: Readers<OfType<M, Type>>;
}): (bytes: Uint8Array, onItems?: (items: number) => void) => M | undefined {
  return (bytes, onItems) => {
    const value = decodeValue(bytes, onItems)?.value;
    const type = isFields(value) ? value.type : undefined;
    if (typeof type !== "string" || !Object.hasOwn(shapes, type)) return undefined;
    const fields = shape(shapes[type as M["type"]])(value);
    return fields && ({ type, ...fields } as unknown as M);
  };
}
