import type { Leaf } from "../../schema/entity-components.js";
import { decodeUtf8, encodeUtf8 } from "../../bytes/utf8.js";
import { FREQUENCY_TOTAL } from "./entropy-coder.js";
import type { Texts } from "../plan/entity-rows.js";
import type { ResidualModel } from "./residual-model.js";

/** Texts are for what rarely changes. */
const UNCHANGED = FREQUENCY_TOTAL - 48;
const LENGTH_BITS = 8;

/**
 * Codes an entity's texts: each whole, or not at all where it is that of the baseline. Returns undefined where a
 * decoded text is too long or not UTF-8.
 */
export function codeTexts(
  model: ResidualModel,
  leaves: readonly Leaf[],
  texts: Texts,
  baseline: Texts | undefined,
): Texts | undefined {
  const coded: (string | Uint8Array)[] = [];
  for (const [index, { field }] of leaves.entries()) {
    const isText = field.kind === "string";
    const before = baseline?.[index];
    const now = texts[index] ?? (isText ? "" : new Uint8Array(0));
    if (before !== undefined && model.codeFlag(isSame(now, before), UNCHANGED)) {
      coded.push(before);
      continue;
    }
    const bytes = codeBytes(model, typeof now === "string" ? encodeUtf8(now) : now);
    const value = isText ? decodeUtf8(bytes) : bytes;
    if (value === undefined || bytes.length > ("maxBytes" in field ? field.maxBytes : 0)) return undefined;
    coded.push(value);
  }
  return coded;
}

function codeBytes(model: ResidualModel, bytes: Uint8Array): Uint8Array {
  const length = model.codeBits(bytes.length, LENGTH_BITS);
  const coded = new Uint8Array(length);
  for (let index = 0; index < length; index++) coded[index] = model.codeBits(bytes[index] ?? 0, 8);
  return coded;
}

function isSame(a: string | Uint8Array, b: string | Uint8Array): boolean {
  if (typeof a === "string" || typeof b === "string") return a === b;
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}
