import type { Genre, TransportKind } from "@paceline/client";
import { MAX_NAME_LENGTH, readColor, readText } from "../race/race-messages.js";

export const PROFILES: readonly Genre[] = [
  "racing",
  "shooter",
  "action",
  "rpg",
  "mmo",
  "strategy",
  "puzzle",
  "party",
];

/** The race's authority: the players among themselves, directly or through the relay, or a server. */
const MODES = ["mesh", "relay", "server"] as const;
type RaceMode = (typeof MODES)[number];

export const COLORS: readonly string[] = [
  "#e5484d",
  "#f2b632",
  "#2f80ed",
  "#27ae60",
  "#9b51e0",
  "#ff7ab6",
  "#14b8c4",
  "#f2f4f8",
];

const NAMES = [
  "Comet",
  "Falcon",
  "Juniper",
  "Kestrel",
  "Lynx",
  "Maverick",
  "Nova",
  "Otter",
  "Rocket",
  "Swift",
];

/** The player's choice from the address, from last time, or by default, in this order. */
export interface Settings {
  name: string;
  color: string;
  mode: RaceMode;
  readonly autostart: boolean;
  /** Only watches; where a server decides. */
  readonly isSpectator: boolean;
  readonly profile: Genre;
  /** Undefined: whatever this browser has. */
  readonly transports: readonly TransportKind[] | undefined;
  /** Origin of the server. */
  readonly server: string;
}

const STORED_KEY = "paceline.driver";

interface Stored {
  readonly name: string | undefined;
  readonly color: string | undefined;
}

/** Everything in the address is checked: a link may come from anybody. What does not fit is as if not given. */
export function readSettings(search: string, origin: string, storage: Storage | undefined): Settings {
  const query = new URLSearchParams(search);
  const stored = readStored(storage);
  return {
    name: readText(query.get("name"), MAX_NAME_LENGTH) ?? stored.name ?? pick(NAMES),
    color: readColor(query.get("color")) ?? stored.color ?? pick(COLORS.slice(0, 7)),
    mode: MODES.find((mode) => mode === query.get("mode")) ?? "mesh",
    isSpectator: query.get("watch") === "1",
    autostart: query.get("autostart") === "1",
    profile: PROFILES.find((profile) => profile === query.get("profile")) ?? "racing",
    transports: readTransports(query.get("transports")),
    server: readServer(query.get("server")) ?? origin,
  };
}

export function storeDriver(storage: Storage | undefined, driver: { name: string; color: string }): void {
  try {
    storage?.setItem(STORED_KEY, JSON.stringify({ name: driver.name, color: driver.color }));
  } catch {
    // Full or forbidden: the name is asked for again next time.
  }
}

function readStored(storage: Storage | undefined): Stored {
  try {
    const value: unknown = JSON.parse(storage?.getItem(STORED_KEY) ?? "null");
    if (typeof value !== "object" || value === null) return { name: undefined, color: undefined };
    const { name, color } = value as Record<string, unknown>;
    return { name: readText(name, MAX_NAME_LENGTH), color: readColor(color) };
  } catch {
    return { name: undefined, color: undefined };
  }
}

function readTransports(value: string | null): readonly TransportKind[] | undefined {
  if (value === null) return undefined;
  const kinds = value
    .split(",")
    .filter((kind): kind is TransportKind => kind === "webrtc" || kind === "websocket");
  return kinds.length === 0 ? undefined : [...new Set(kinds)];
}

function readServer(value: string | null): string | undefined {
  if (value === null || !URL.canParse(value)) return undefined;
  const { protocol, origin } = new URL(value);
  return protocol === "http:" || protocol === "https:" ? origin : undefined;
}

function pick(values: readonly string[]): string {
  return values[Math.floor(Math.random() * values.length)] as string;
}

/** Some browsers forbid storage, by throwing when it is merely looked at. */
export function safeStorage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
