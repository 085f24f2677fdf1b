import type { Tab } from "../browser/tab.js";
import type { ModeName } from "./room-setup.js";

const KEY = "paceline:modes";
/** Limit of stored kinds of rooms. The oldest one is dropped. */
const MAX_KEPT = 16;

/**
 * Returns the mode that rooms of this kind had when this tab last joined one; undefined if it has joined none.
 * It says which code a join needs, before the server does.
 */
export function keptModeOf(tab: Tab | undefined, server: string, roomName: string): ModeName | undefined {
  const mode = read(tab)[kindOf(server, roomName)];
  return mode === "mesh" || mode === "authority" ? mode : undefined;
}

/** Stores the mode of a kind of rooms for later joins of this tab. */
export function keepMode(tab: Tab | undefined, server: string, roomName: string, mode: ModeName): void {
  const kind = kindOf(server, roomName);
  const others = Object.entries(read(tab)).filter(([other]) => other !== kind);
  const kept = Object.fromEntries([...others, [kind, mode]].slice(-MAX_KEPT));
  try {
    tab?.storage?.setItem(KEY, JSON.stringify(kept));
  } catch {
    // The page has no access to its storage, or it is full: the next page guesses by the profile.
  }
}

const kindOf = (server: string, roomName: string): string => `${server} ${roomName}`;

function read(tab: Tab | undefined): Readonly<Record<string, unknown>> {
  try {
    return Object(JSON.parse(tab?.storage?.getItem(KEY) ?? "{}")) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}
