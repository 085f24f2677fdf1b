import { ConfigError } from "@paceline/protocol";

/** Limit of an id. Those that the relay gives are much shorter. */
const MAX_ID_CHARACTERS = 1000;

/** Throws {@link ConfigError} for an id that a store cannot give back as it was. */
export function assertRoomId(id: unknown): asserts id is string {
  const isText = typeof id === "string" && id.length > 0 && id.length <= MAX_ID_CHARACTERS;
  // Half a surrogate pair has no bytes in UTF-8, so two such ids would share a file.
  if (isText && !/\p{Surrogate}/u.test(id)) return;
  throw new ConfigError("id", id, `1 to ${MAX_ID_CHARACTERS} characters of well-formed text`);
}
