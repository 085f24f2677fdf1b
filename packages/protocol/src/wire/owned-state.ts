import type { ByteReader } from "../bytes/byte-reader.js";
import type { ByteWriter } from "../bytes/byte-writer.js";
import type { EntityDefinition } from "../schema/entity-definition.js";

/** Writes a state that a player tells the authority of its room: the entity's local id, the components as Float32. */
export function writeOwned(writer: ByteWriter, localId: number, state: ArrayLike<number>): ByteWriter {
  writer.u16(localId).varint(state.length);
  return writeRow(writer, state);
}

/** Components as Float32. */
export function writeRow(writer: ByteWriter, state: ArrayLike<number>): ByteWriter {
  for (let index = 0; index < state.length; index++) writer.f32(state[index]!);
  return writer;
}

/** Reads components into `into`; false where one is not finite or out of its range, or bytes are missing. */
export function readRow(reader: ByteReader, definition: EntityDefinition, into: Float32Array): boolean {
  let isValid = true;
  for (const [index, { kind, min, max }] of definition.components.entries()) {
    const value = reader.f32();
    into[index] = value;
    // Float32 rounds a bound such as pi outwards: a value may pass its bound by that much.
    const isInRange = value >= Math.fround(min) && value <= Math.fround(max);
    const isWhole = kind === "number" || kind === "angle" || kind === "quat" || Number.isInteger(value);
    isValid &&= isInRange && isWhole;
  }
  return isValid && reader.ok;
}
