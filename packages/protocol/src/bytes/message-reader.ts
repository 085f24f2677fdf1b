import { isFields } from "./fields.js";
import { shape, type Readers } from "./shape.js";
import { decodeValue } from "./value-codec.js";

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
