import type { IncomingMessage } from "node:http";
import {
  ConfigError,
  assertObject,
  assertRange,
  assertWhole,
  checkKeys,
  isBuild,
  type IceServer,
} from "@paceline/protocol";
import { GuardedScheduler, systemScheduler, type Scheduler } from "@paceline/transport";
import { Faults } from "../ops/faults.js";
import { consoleLog, harmlessLog, logLevels, type Log } from "../ops/log.js";
import { forwardedAddress } from "../limits/network-address.js";
import { OriginPolicy, type AllowedOrigins } from "../admission/origin-policy.js";
import { GuardedStore, type GuardedStoreOptions } from "../saving/guarded-store.js";
import type { RoomStore } from "../saving/room-store.js";
import type { RoomAuthority } from "../sessions/authority.js";
import { RelayCounters } from "../ops/relay-counters.js";
import { ForwardRates } from "../limits/forward-rates.js";
import { relayLimits, type RelayLimits } from "../limits/relay-limits.js";
import { turnCredentials, type TurnOptions } from "./turn-credentials.js";
import { webRtcSettings, type WebRtcOptions } from "./webrtc-options.js";

/** One kind of room. */
export interface RoomKindOptions {
  /** Participants and reserved seats together, 1 to 128. Default 16. */
  readonly maxPlayers?: number;
  /** Authority of the rooms of this name. Default: none; the room is a mesh. */
  readonly authority?: RoomAuthority;
  /** Lets players of different builds of the game meet. Default: false. */
  readonly mixesBuilds?: boolean;
  /** Keeps rooms of this kind over a restart of the server. Default: they end with it. */
  readonly persistent?: Persistence | undefined;
}

/** How rooms are kept over restarts and crashes of the server. */
export interface Persistence {
  /** Time between two saves, 0.1 to 3600 s: a crash loses at most what happened since the last one. */
  readonly everySeconds: number;
}

/** A kind of room after the checks. */
export interface RoomSettings {
  readonly maxPlayers: number;
  readonly authority: RoomAuthority | undefined;
  readonly mixesBuilds: boolean;
  /** Time between two saves, ms; undefined if the rooms end with the server. */
  readonly saveEveryMs: number | undefined;
}

/** Options of {@link createRelay}. */
export interface RelayOptions {
  /** Kinds of rooms by name (1 to 64 characters of A-Z, a-z, 0-9, `_` and `-`). */
  readonly rooms: Readonly<Record<string, RoomKindOptions>>;
  /**
   * Build of the game that this server serves: 1 to 64 letters, digits and `. + - _`. A client of another
   * build gets `onOutdated`. Default: none, so no client is notified.
   */
  readonly build?: string;
  /** Pages that may use the relay. Default: pages of the same host and port. */
  readonly allowedOrigins?: AllowedOrigins;
  /**
   * Names under which pages and proxies reach the relay, such as `play.example.com`. A request with any other
   * name in `Host` is refused, since an attacker may point a name at this machine. Default: addresses and
   * `localhost` only.
   */
  readonly publicHosts?: readonly string[];
  /** STUN servers, and TURN servers with a fixed user name and password, for participants; at most 8. */
  readonly iceServers?: readonly IceServer[];
  /** TURN servers for which the relay creates short-lived passwords. */
  readonly turn?: TurnOptions;
  /** WebRTC links to the relay itself. Default: WebSockets only. */
  readonly webrtc?: WebRtcOptions;
  readonly limits?: Partial<RelayLimits>;
  /** Where persistent rooms are kept. Needed if a kind of rooms is persistent. */
  readonly store?: RoomStore | undefined;
  /**
   * Time that packets of a room wait for each other, so that a receiver gets them in one write: 0 to 5 ms.
   * Default: 5 in rooms of at least 16 participants, 0 in smaller ones.
   */
  readonly coalesceMs?: number;
  /**
   * Makes a seat ticket valid only from the network address that it was given to. Default: false, since a
   * player's address may change between the request and the link (mobile networks, carriers' NAT, IPv6 beside
   * IPv4).
   */
  readonly bindTicketsToAddress?: boolean;
  /**
   * Returns the network address for the limits per address. Use it for a proxy with a header of its own, if
   * `trustedProxyHops` is not enough.
   */
  readonly addressOf?: (request: IncomingMessage) => string;
  /**
   * Number of proxies in front of the server, 0 to 8. Limits per address use the entry of `X-Forwarded-For`
   * that the outermost proxy wrote. Default 0: the socket's address. Cannot be combined with `addressOf`.
   */
  readonly trustedProxyHops?: number;
  /** Sink of log lines. Default: writes errors, warnings and events of the whole server to the console. */
  readonly log?: Log;
  /** Time and timers. Default: the machine's clock. */
  readonly scheduler?: Scheduler;
  /** Milliseconds since the epoch, for the expiry of TURN passwords. Default: `Date.now`. */
  readonly wallClockMs?: () => number;
}

/** Names of {@link RelayOptions}. */
export const relayOptionNames: readonly (keyof RelayOptions)[] = [
  "rooms",
  "build",
  "allowedOrigins",
  "publicHosts",
  "iceServers",
  "turn",
  "webrtc",
  "limits",
  "store",
  "coalesceMs",
  "bindTicketsToAddress",
  "addressOf",
  "trustedProxyHops",
  "log",
  "scheduler",
  "wallClockMs",
];
const DEFAULT_MAX_PLAYERS = 16;
/** Each participant keeps a session with every other one. */
const MAX_PLAYERS = 128;
const MAX_ICE_SERVERS = 8;
const MAX_ICE_TEXT = 512;
const MAX_PROXY_HOPS = 8;
const MAX_COALESCE_MS = 5;
const SAVE_SECONDS = [0.1, 3600, "s"] as const;

/** Checks the options and fills in the defaults. Throws `ConfigError` naming field, value, range and unit. */
export function relaySettings(options: RelayOptions) {
  checkKeys("", options, relayOptionNames);
  assertRange("coalesceMs", options.coalesceMs ?? 0, [0, MAX_COALESCE_MS, "ms"]);
  const wallClockMs = checkedFunction("wallClockMs", options.wallClockMs) ?? Date.now;
  const log = checkedLog(options.log ?? consoleLog);
  const counters = new RelayCounters();
  const clock = options.scheduler ?? systemScheduler;
  const faults = new Faults(log, counters, clock);
  const scheduler = new GuardedScheduler(clock, (error) => faults.report("timer", error));
  const { allowedOrigins = [], publicHosts = [] } = options;
  const limits = relayLimits(options.limits ?? {});
  return Object.freeze({
    rooms: roomSettingsOf(options.rooms),
    build: buildOf(options.build),
    origins: new OriginPolicy({ allowedOrigins, publicHosts, log, clock: scheduler }),
    iceServers: iceServerList(options.iceServers ?? []),
    turn: options.turn === undefined ? undefined : turnCredentials(options.turn, wallClockMs),
    webrtc: webRtcSettings(options.webrtc),
    limits,
    store: storeOf(options, { scheduler, log, counts: counters.store }),
    forwards: new ForwardRates(limits, scheduler.nowMs()),
    /** Undefined: depends on the size of the room. */
    coalesceMs: options.coalesceMs,
    bindTicketsToAddress: flagOf("bindTicketsToAddress", options.bindTicketsToAddress),
    addressOf: addressReader(options),
    log,
    counters,
    faults,
    /** Runs timers. An error in a timer is counted and logged, and no other timer stops. */
    scheduler,
    wallClockMs,
  });
}

/** Options after the checks, with every default filled in. */
export type RelaySettings = ReturnType<typeof relaySettings>;

function roomSettingsOf(rooms: RelayOptions["rooms"]): ReadonlyMap<string, RoomSettings> {
  assertObject("rooms", rooms);
  const kinds = new Map<string, RoomSettings>();
  for (const [name, kind] of Object.entries(rooms)) {
    // `NAME.queue` is the room where players who want a room of kind NAME wait.
    if (!/^[\w-]{1,64}(\.queue)?$/.test(name)) {
      throw new ConfigError("rooms", name, "room names of 1 to 64 characters of A-Z, a-z, 0-9, _ and -");
    }
    checkKeys(`rooms.${name}`, kind, ["maxPlayers", "authority", "mixesBuilds", "persistent"]);
    const { maxPlayers = DEFAULT_MAX_PLAYERS, authority, persistent } = kind;
    const saveEveryMs = persistent && saveEveryMsOf(`rooms.${name}.persistent`, persistent);
    assertWhole(`rooms.${name}.maxPlayers`, maxPlayers, { min: 1, max: MAX_PLAYERS, unit: "participants" });
    const mixesBuilds = flagOf(`rooms.${name}.mixesBuilds`, kind.mixesBuilds);
    kinds.set(name, Object.freeze({ maxPlayers, authority, mixesBuilds, saveEveryMs }));
  }
  if (kinds.size === 0) throw new ConfigError("rooms", rooms, "at least one kind of room");
  return kinds;
}

/** Returns the time between two saves, ms. Throws {@link ConfigError} for one that is out of range. */
function saveEveryMsOf(field: string, persistent: Persistence): number {
  checkKeys(field, persistent, ["everySeconds"]);
  assertRange(`${field}.everySeconds`, persistent.everySeconds, SAVE_SECONDS);
  return persistent.everySeconds * 1000;
}

const storeNames = ["save", "load", "remove", "list"] as const;

/** Returns the store behind a guard: it may be anybody's code, and delays no room. */
function storeOf({ store, rooms }: RelayOptions, surroundings: GuardedStoreOptions): RoomStore | undefined {
  if (store !== undefined) {
    assertObject("store", store);
    for (const name of storeNames) checkedFunction(`store.${name}`, store[name] ?? null);
    return new GuardedStore(store, surroundings);
  }
  const persistent = Object.keys(rooms).find((name) => rooms[name]?.persistent);
  if (persistent === undefined) return undefined;
  throw new ConfigError("store", store, `a store, since rooms of kind ${persistent} are persistent`);
}

function buildOf(value: unknown): string | undefined {
  if (value === undefined || isBuild(value)) return value;
  throw new ConfigError("build", value, "1 to 64 letters, digits and . + - _");
}

function iceServerList(servers: unknown): readonly IceServer[] {
  if (!Array.isArray(servers) || servers.length > MAX_ICE_SERVERS) {
    const value = Array.isArray(servers) ? `${servers.length} servers` : servers;
    throw new ConfigError("iceServers", value, `a list of at most ${MAX_ICE_SERVERS} servers`);
  }
  return Object.freeze(servers.map((server, index) => iceServer(`iceServers[${index}]`, server)));
}

function iceServer(field: string, server: unknown): IceServer {
  checkKeys(field, server, ["urls", "username", "credential"]);
  const { urls, username, credential } = server as Readonly<Record<string, unknown>>;
  if (typeof urls !== "string" || urls.length > MAX_ICE_TEXT || !/^(stun|turn)s?:\S+$/.test(urls)) {
    throw new ConfigError(`${field}.urls`, urls, "stun:, stuns:, turn: or turns: and a host");
  }
  if (username === undefined && credential === undefined) {
    if (!urls.startsWith("turn")) return Object.freeze({ urls });
    const expected = "username and credential with a TURN server; or name it in turn.urls, with turn.secret";
    throw new ConfigError(field, urls, expected);
  }
  if (!isShortText(username) || !isShortText(credential)) {
    const expected = `username and credential as text of 1 to ${MAX_ICE_TEXT} characters, or neither`;
    throw new ConfigError(field, "one that is no text", expected);
  }
  return Object.freeze({ urls, username, credential });
}

function isShortText(value: unknown): value is string {
  return typeof value === "string" && value.length > 0 && value.length <= MAX_ICE_TEXT;
}

function checkedLog(log: Log): Log {
  assertObject("log", log);
  for (const level of logLevels) checkedFunction(`log.${level}`, log[level] ?? null);
  return harmlessLog(log);
}

function flagOf(field: string, value: unknown = false): boolean {
  if (typeof value === "boolean") return value;
  throw new ConfigError(field, value, "true or false");
}

function checkedFunction<F>(field: string, value: F | undefined): F | undefined {
  if (value === undefined || typeof value === "function") return value;
  throw new ConfigError(field, value, "a function");
}

function addressReader({ addressOf, trustedProxyHops }: RelayOptions): (request: IncomingMessage) => string {
  const given = checkedFunction("addressOf", addressOf);
  const hops = trustedProxyHops ?? 0;
  assertWhole("trustedProxyHops", hops, { min: 0, max: MAX_PROXY_HOPS, unit: "proxies" });
  if (given && hops > 0) {
    const expected = "0 where addressOf is given: that function reads the headers itself";
    throw new ConfigError("trustedProxyHops", hops, expected);
  }
  return given ?? ((request) => forwardedAddress(request, hops));
}
