import { Packr, Unpackr } from "msgpackr";
import { isWellFormed } from "./msgpack-check.js";
import { readMsgpack } from "./msgpack-reader.js";
import { useValueCodec, type ValueCodec } from "./value-codec.js";

/** A constant of its own, since msgpackr's types lack `skipValues` and `useToJSON`. */
const packing = {
  useRecords: false,
  variableMapSize: true,
  encodeUndefinedAsNil: true,
  skipValues: [undefined],
  // Else a member named `toJSON` would be called.
  useToJSON: false,
};

/** Records and extensions are off, so that any msgpack reader can read the bytes. No code is generated. */
const packer = new Packr(packing);
const unpacker = new Unpackr({ useRecords: false, mapsAsObjects: true, int64AsType: "number" });

/** Writes and reads values with msgpackr. Importing this module fetches it. */
export const msgpackrCodec: ValueCodec = {
  write: (value) => packer.pack(value),
  read(bytes, onItems) {
    // Of a long text, msgpackr drops a leading U+FEFF.
    if (holdsByteOrderMark(bytes)) return readMsgpack(bytes, onItems);
    if (!isWellFormed(bytes, onItems)) return undefined;
    try {
      return { value: unpacker.unpack(bytes) as unknown };
    } catch {
      return undefined;
    }
  },
};

/** Makes msgpackr the codec of all later values. */
export function useMsgpackr(): void {
  useValueCodec(msgpackrCodec);
}

function holdsByteOrderMark(bytes: Uint8Array): boolean {
  for (let at = bytes.indexOf(0xef); at >= 0; at = bytes.indexOf(0xef, at + 1)) {
    if (bytes[at + 1] === 0xbb && bytes[at + 2] === 0xbf) return true;
  }
  return false;
}
