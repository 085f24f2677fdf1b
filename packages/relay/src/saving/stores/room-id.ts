import { createHash } from "node:crypto";
import { ConfigError } from "@paceline/protocol";

/** Limit of an id. Those that the relay gives are much shorter. */
const MAX_ID_CHARACTERS = 1000;
/** Longest name of a room in a store. File systems take 255 bytes, endings included. */
const MAX_NAME_CHARACTERS = 200;
/** Begins a name that is a hash. An escape never begins with it, since two digits follow each underscore. */
const HASHED = "__";

/** Throws {@link ConfigError} for an id that a store cannot give back as it was. */
export function assertRoomId(id: unknown): asserts id is string {
  const isText = typeof id === "string" && id.length > 0 && id.length <= MAX_ID_CHARACTERS;
  // Half a surrogate pair has no bytes in UTF-8, so two such ids would share a file.
  if (isText && !/\p{Surrogate}/u.test(id)) return;
  throw new ConfigError("id", id, `1 to ${MAX_ID_CHARACTERS} characters of well-formed text`);
}

/**
 * Returns the name of a room in a store: small letters, digits, `-` and `_` only. So no id leads out of a
 * directory, and ids stay apart where small and capital letters are one. A name that would be too long is a
 * hash, from which {@link idOfName} cannot tell the id.
 */
export function nameOfId(id: string): string {
  assertRoomId(id);
  const escaped = id.replace(/[^a-z0-9-]/gu, (character) =>
    Array.from(Buffer.from(character), (byte) => `_${byte.toString(16).padStart(2, "0")}`).join(""),
  );
  if (escaped.length <= MAX_NAME_CHARACTERS) return escaped;
  return HASHED + createHash("sha256").update(id).digest("hex");
}

/** Returns the id of a name that {@link nameOfId} made. Undefined: the name is a hash, or no such name. */
export function idOfName(name: string): string | undefined {
  if (!/^(?:[a-z0-9-]|_[0-9a-f]{2})+$/.test(name)) return undefined;
  const bytes = name.replaceAll("%", "").replaceAll("_", "%");
  try {
    const id = decodeURIComponent(bytes);
    return nameOfId(id) === name ? id : undefined;
  } catch {
    return undefined;
  }
}
