import type { Tab } from "../browser/tab.js";
import type { ModeName } from "./welcome.js";

const KEY = "paceline:modes";
/** Limit of stored kinds of rooms. The oldest one is dropped. */
const MAX_KEPT = 16;

interface KeptMode {
  readonly server: string;
  readonly roomName: string;
  readonly mode: ModeName;
}

/**
 * Returns the mode that rooms of this kind had when this tab last joined one; undefined if it has joined none.
 * It says which code a join needs, before the server does.
 */
export function keptModeOf(tab: Tab | undefined, server: string, roomName: string): ModeName | undefined {
  return read(tab).find((kept) => kept.server === server && kept.roomName === roomName)?.mode;
}

/** Stores the mode of a kind of rooms for later joins of this tab. */
export function keepMode(tab: Tab | undefined, mode: KeptMode): void {
  const others = read(tab).filter(
    ({ server, roomName }) => server !== mode.server || roomName !== mode.roomName,
  );
  try {
    tab?.storage?.setItem(KEY, JSON.stringify([mode, ...others].slice(0, MAX_KEPT)));
  } catch {
    // The page has no access to its storage, or it is full: the next page guesses by the profile.
  }
}

function read(tab: Tab | undefined): KeptMode[] {
  try {
    const kept: unknown = JSON.parse(tab?.storage?.getItem(KEY) ?? "[]");
    return Array.isArray(kept) ? kept.filter(isKeptMode) : [];
  } catch {
    return [];
  }
}

function isKeptMode(value: unknown): value is KeptMode {
  if (typeof value !== "object" || value === null) return false;
  const { server, roomName, mode } = value as Record<string, unknown>;
  const isText = typeof server === "string" && typeof roomName === "string";
  return isText && (mode === "mesh" || mode === "authority");
}
