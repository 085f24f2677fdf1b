import { PROTOCOL_VERSION } from "@paceline/protocol";
import type { RelaySettings } from "./options/relay-options.js";
import { isLocked } from "./saving/guarded-store.js";
import { readSavedRoom, type SavedRoom } from "./saving/saved-room.js";

/**
 * Reads the rooms of a store, and lets `open` go on with each. Resolves with their number.
 * Rejects only if another process has the store open: two servers must not go on with the same rooms.
 */
export async function restoreRooms(
  settings: RelaySettings,
  open: (saved: SavedRoom) => Promise<string | undefined>,
): Promise<number> {
  const { store, log, counters } = settings;
  if (!store) return 0;
  let restored = 0;
  const tell = (roomId: string, error: unknown): void => {
    counters.count("saves", "unreadable");
    const words = error instanceof Error ? error.message : String(error);
    log.error("a saved room cannot be used", { roomId, error: words });
  };
  const tryToRestore = async (roomId: string): Promise<boolean> => {
    // The newest first: if it cannot be used, the one before is.
    for (const bytes of await store.load(roomId)) {
      const saved = readSavedRoom(bytes);
      const refusal = typeof saved === "string" ? undefined : refusalOf(settings, roomId, saved);
      if (refusal !== undefined) throw new Error(refusal);
      const problem = typeof saved === "string" ? saved : await open(saved);
      if (problem === undefined) return true;
      tell(roomId, problem);
    }
    return false;
  };
  try {
    for (const roomId of await store.list()) {
      const isRestored = await tryToRestore(roomId).catch((error: unknown) => {
        tell(roomId, error);
        return false;
      });
      if (!isRestored) continue;
      restored += 1;
      counters.count("saves", "restored");
    }
  } catch (error) {
    if (isLocked(error)) throw error;
    // The guard around the store has told it.
    counters.count("saves", "unreadable");
  }
  if (restored > 0) log.info("rooms go on from their saves", { rooms: restored });
  return restored;
}

/** Returns the reason for which this server does not go on with a saved room. */
function refusalOf({ rooms }: RelaySettings, roomId: string, { place }: SavedRoom): string | undefined {
  if (place.id !== roomId) return `it is of room ${place.id}`;
  const kind = rooms.get(place.name);
  if (!kind) return `this server has no rooms of kind "${place.name}"`;
  return kind.saveEveryMs === undefined
    ? `rooms of kind "${place.name}" are not persistent any more`
    : undefined;
}

/** Returns true if sessions of a save can go on exactly in this process. */
export function isExact({ isFinal, wire }: SavedRoom): boolean {
  return isFinal && wire === PROTOCOL_VERSION;
}
