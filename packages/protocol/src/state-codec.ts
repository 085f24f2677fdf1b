import type { ByteReader } from "./byte-reader.js";
import type { ByteWriter } from "./byte-writer.js";
import type { Component } from "./entity-components.js";
import type { EntityDefinition } from "./entity-definition.js";

/** Bytes of one entity in a state message. */
export function stateBytes(definition: EntityDefinition): number {
  return 3 + definition.components.length * 4 + (definition.components.length > 0x7f ? 1 : 0);
}

/** Writes one entity: local id, number of components, the components as Float32. */
export function writeState(writer: ByteWriter, localId: number, values: ArrayLike<number>): void {
  writer.u16(localId).varint(values.length);
  writeComponents(writer, values);
}

export function writeComponents(writer: ByteWriter, values: ArrayLike<number>): void {
  for (let index = 0; index < values.length; index++) writer.f32(values[index]!);
}

/** An entity's place in a state message; its components follow. */
export interface StateHead {
  readonly localId: number;
  readonly componentCount: number;
}

export function readStateHead(reader: ByteReader): StateHead {
  return { localId: reader.u16(), componentCount: reader.varint() };
}

/**
 * Reads the components of one entity into `into`, one by one. False where a value is not finite or out of its
 * range, or bytes are missing; `into` then holds nothing usable.
 */
export function readComponents(
  reader: ByteReader,
  definition: EntityDefinition,
  into: Float32Array,
): boolean {
  let isValid = true;
  for (const [index, component] of definition.components.entries()) {
    const value = reader.f32();
    into[index] = value;
    isValid &&= isInRange(component, value);
  }
  return isValid && reader.ok;
}

/** Float32 rounds a bound such as pi outwards: a value may pass its bound by that much. */
function isInRange({ min, max, kind }: Component, value: number): boolean {
  if (!(value >= Math.fround(min) && value <= Math.fround(max))) return false;
  return kind === "number" || kind === "angle" || Number.isInteger(value);
}
