/** About the size of a car's state: the entity's number, the time of writing, and values. */
const STATE_BYTES = 60;

export interface WrittenState {
  readonly entity: number;
  readonly writtenMs: number;
}

export function writeState({ entity, writtenMs }: WrittenState): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(STATE_BYTES);
  const view = new DataView(bytes.buffer);
  view.setUint32(0, entity);
  view.setFloat64(4, writtenMs);
  return bytes;
}

export function readState(bytes: Uint8Array): WrittenState {
  const view = new DataView(bytes.buffer, bytes.byteOffset);
  return { entity: view.getUint32(0), writtenMs: view.getFloat64(4) };
}
