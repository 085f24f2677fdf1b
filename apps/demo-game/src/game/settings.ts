import type { Genre, TransportKind } from "@paceline/client";
import { readInvitation, type Invitation } from "../net/invitation.js";
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

/** Modes of a race: players connect directly, through the relay, or to a server that decides. */
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

/** The player's choices: from the address, else from the last visit, else the default. */
export interface Settings {
  name: string;
  color: string;
  mode: RaceMode;
  readonly autostart: boolean;
  /** True if the page opens "What the network does" first. */
  readonly isShow: boolean;
  /** True for a spectator. */
  readonly isSpectator: boolean;
  readonly profile: Genre;
  /** Undefined for all that the browser has. */
  readonly transports: readonly TransportKind[] | undefined;
  /** Origin of the server. */
  readonly server: string;
  /** The race that the address names; undefined for any race. */
  readonly invitation: Invitation | undefined;
  /** One sentence for each parameter of the address that has no effect. */
  readonly complaints: readonly string[];
}

const STORED_KEY = "paceline.driver";

interface Stored {
  readonly name: string | undefined;
  readonly color: string | undefined;
}

/**
 * Reads the page's address. Checks everything, because a link may come from anybody. A parameter that does not
 * fit has no effect, and `complaints` names it and what fits.
 */
export function readSettings(search: string, origin: string, storage: Storage | undefined): Settings {
  const address = new Address(search);
  const stored = readStored(storage);
  const given = {
    name: address.read("name", `up to ${MAX_NAME_LENGTH} visible characters`, (text) =>
      readText(text, MAX_NAME_LENGTH),
    ),
    color: address.read("color", "#rrggbb with %23 for #, such as %23e5484d", readColor),
    mode: address.read("mode", oneOf(MODES), (text) => MODES.find((mode) => mode === text)),
    watch: address.read("watch", SWITCH, readSwitch),
    autostart: address.read("autostart", SWITCH, readSwitch),
    show: address.read("show", SWITCH, readSwitch),
    profile: address.read("profile", oneOf(PROFILES), (text) => PROFILES.find((profile) => profile === text)),
    transports: address.read("transports", "websocket, or webrtc,websocket", readTransports),
    server: address.read("server", "an address that begins with http:// or https://", readServer),
    room: address.read("room", "a name such as fox-42, or a room's id from an invitation", readInvitation),
  };
  return {
    name: given.name ?? stored.name ?? pick(NAMES),
    color: given.color ?? stored.color ?? pick(COLORS.slice(0, 7)),
    mode: given.mode ?? "mesh",
    isSpectator: given.watch ?? false,
    autostart: given.autostart ?? false,
    isShow: given.show ?? false,
    profile: given.profile ?? "racing",
    transports: given.transports,
    server: given.server ?? origin,
    invitation: given.room,
    complaints: address.complaints(),
  };
}

const MAX_QUOTED = 40;

/** Reads the parameters of the page's address, each by its own rule. */
class Address {
  readonly #query: URLSearchParams;
  readonly #known = new Set<string>();
  readonly #misfits: string[] = [];

  constructor(search: string) {
    this.#query = new URLSearchParams(search);
  }

  /** @param right says in words which texts fit */
  read<Value>(key: string, right: string, rule: (text: string) => Value | undefined): Value | undefined {
    this.#known.add(key);
    const text = this.#query.get(key);
    if (text === null) return undefined;
    const value = rule(text);
    if (value === undefined) this.#misfits.push(`"${key}" cannot be "${quoted(text)}": it is ${right}.`);
    return value;
  }

  complaints(): readonly string[] {
    const unknown = [...new Set(this.#query.keys())].filter((key) => !this.#known.has(key));
    const sentences = unknown.map((key) => `Nothing here is named "${quoted(key)}".`);
    if (unknown.length > 0) sentences.push(`Known are: ${[...this.#known].join(", ")}.`);
    return [...this.#misfits, ...sentences];
  }
}

function quoted(text: string): string {
  return readText(text, MAX_QUOTED) ?? "";
}

const SWITCH = "1 or 0";

function oneOf(names: readonly string[]): string {
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

function readSwitch(text: string): boolean | undefined {
  return text === "1" ? true : text === "0" ? false : undefined;
}

export function storeDriver(storage: Storage | undefined, driver: { name: string; color: string }): void {
  try {
    storage?.setItem(STORED_KEY, JSON.stringify({ name: driver.name, color: driver.color }));
  } catch {
    // The storage is full or forbidden, so the next visit begins without the name.
  }
}

const SOUND_KEY = "paceline.sound";

/** Returns true if the player has not muted the game. */
export function readSound(storage: Storage | undefined): boolean {
  try {
    return storage?.getItem(SOUND_KEY) !== "off";
  } catch {
    return false;
  }
}

export function storeSound(storage: Storage | undefined, isOn: boolean): void {
  try {
    storage?.setItem(SOUND_KEY, isOn ? "on" : "off");
  } catch {
    // The storage is full or forbidden, so the choice holds until the page is closed.
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

function readTransports(value: string): readonly TransportKind[] | undefined {
  const isKind = (kind: string): kind is TransportKind => kind === "webrtc" || kind === "websocket";
  const kinds = value.split(",");
  return kinds.every(isKind) ? [...new Set(kinds)] : undefined;
}

function readServer(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const { protocol, origin } = new URL(value);
  return protocol === "http:" || protocol === "https:" ? origin : undefined;
}

function pick(values: readonly string[]): string {
  return values[Math.floor(Math.random() * values.length)] as string;
}

/**
 * Returns the page's storage; undefined if the browser forbids it, in which case reading the property throws.
 */
export function safeStorage(): Storage | undefined {
  try {
    return window.localStorage;
  } catch {
    return undefined;
  }
}
