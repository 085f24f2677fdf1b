import { statSync } from "node:fs";
import { isIP } from "node:net";
import { parseArgs } from "node:util";
import {
  logLevels,
  privateCandidates,
  type IceServer,
  type LogLevel,
  type PrivateCandidates,
  type RelayOptions,
} from "@paceline/relay";
import { NO_FILE, readConfigFile, UsageError } from "./config-file.js";
import { DATA_FOLDER } from "./data-folder.js";

interface AdminOptions {
  readonly port: number;
  readonly host: string;
  readonly token: string;
}

/** Options from command line, environment and configuration file, after the checks. */
export interface ServerOptions {
  readonly port: number;
  readonly isPortChosen: boolean;
  readonly host: string;
  readonly staticFolder: string | undefined;
  /** Origins of other servers that the pages may connect to. */
  readonly connectTo: readonly string[];
  /** Path of the module with the game's rooms. */
  readonly gameFile: string | undefined;
  /** Directory of what outlives the process, such as saved rooms. It is made when something is kept. */
  readonly dataFolder: string;
  readonly logLevel: LogLevel;
  /** Longest time that sessions go on after the process received a signal to end, ms. */
  readonly drainMs: number;
  /** The server to which sessions move when an error ends this process. */
  readonly moveTo: string | undefined;
  readonly admin: AdminOptions | undefined;
  readonly relay: Pick<
    RelayOptions,
    | "rooms"
    | "build"
    | "allowedOrigins"
    | "publicHosts"
    | "iceServers"
    | "limits"
    | "coalesceMs"
    | "bindTicketsToAddress"
    | "trustedProxyHops"
    | "turn"
    | "webrtc"
  >;
}

/** Returns the text of `--help`. */
export const usageOf = (
  command: string,
): string => `${command} [options]${" ".repeat(Math.max(1, 21 - command.length))}each also as environment variable, and in the file

  --config FILE           PACELINE_CONFIG        a JSON file with these settings, and with "limits"
  --port 0..65535         PACELINE_PORT          where to listen; 0: any free port (8787)
  --host ADDRESS          PACELINE_HOST          address to listen on (127.0.0.1)
  --static FOLDER         PACELINE_STATIC        files to serve beside the relay
  --connect-to URL        PACELINE_CONNECT_TO    servers that pages from --static may connect to besides this one;
                                                 repeat, or separate by commas (--move-to)
  --game FILE             PACELINE_GAME          a module that exports "rooms": classes of rooms by name
  --data DIR              PACELINE_DATA          directory of what outlives the process: saved rooms (${DATA_FOLDER})
  --allow-origin ORIGIN   PACELINE_ALLOW_ORIGIN  pages that may connect: https://play.example.com, capacitor://localhost, or "*"
                                                 for all; repeat, or separate by commas (own host only)
  --public-host HOST      PACELINE_PUBLIC_HOST   name that leads here: play.example.com; repeat, or separate by
                                                 commas (addresses, localhost, and the name in --host)
  --rooms NAME[:PEERS],…  PACELINE_ROOMS         kinds of rooms between players, and how many each takes
                                                 (race:16; none with --game)
  --build TEXT            PACELINE_BUILD         build of the game that is served here: pages of others are told (none)
  --ice URL[ USER WORD]   PACELINE_ICE           STUN or TURN server; repeat, or separate by commas
  --turn URL              PACELINE_TURN          TURN server that shares --turn-secret; repeat, or separate by commas
  --turn-secret TEXT      PACELINE_TURN_SECRET   coturn's static-auth-secret, at least 32 characters
  --webrtc PORT           PACELINE_WEBRTC        UDP port of WebRTC to the server, 1 to 32767; 0: any; off: none
                                                 (the number of --port, where that is below 32768)
  --webrtc-address IP     PACELINE_WEBRTC_ADDRESS  address that clients are told, where a NAT stands in front
  --webrtc-private MODE   PACELINE_WEBRTC_PRIVATE  try candidates of private networks:
                                                 ${privateCandidates.join(", ")} (private-sessions)
  --bind-tickets          PACELINE_BIND_TICKETS=1  a ticket is good only from the address that it was given to
  --coalesce-ms 0..5      PACELINE_COALESCE_MS   how long packets between players wait to share a write
                                                 (5 in rooms of 16 and more, else 0)
  --trust-proxy[=HOPS]    PACELINE_TRUST_PROXY   proxies in front, 1 to 8: take addresses from the last entry of
                                                 X-Forwarded-For, or the HOPS-th from the right (0)
  --drain-seconds 0..3600 PACELINE_DRAIN_SECONDS how long players may stay after SIGTERM (30)
  --move-to URL           PACELINE_MOVE_TO       http(s) address where sessions go on if an error ends this process
                                                 (where they were)
  --admin-port 0..65535   PACELINE_ADMIN_PORT    admin page and /metrics, kept from the public (none)
  --admin-host ADDRESS    PACELINE_ADMIN_HOST    address to listen on for these (127.0.0.1)
  --admin-token TEXT      PACELINE_ADMIN_TOKEN   lets one into the admin page, at least 16 characters
  --log-level LEVEL       PACELINE_LOG_LEVEL     ${logLevels.join(", ")} (info)
  --help                                         print this
`;

const text = { type: "string" } as const;
const list = { type: "string", multiple: true } as const;
const flags = {
  config: text,
  port: text,
  host: text,
  static: text,
  "connect-to": list,
  game: text,
  data: text,
  "allow-origin": list,
  "public-host": list,
  rooms: text,
  build: text,
  ice: list,
  turn: list,
  "turn-secret": text,
  webrtc: text,
  "webrtc-address": text,
  "webrtc-private": text,
  "coalesce-ms": text,
  "trust-proxy": text,
  "bind-tickets": { type: "boolean" },
  "drain-seconds": text,
  "move-to": text,
  "admin-port": text,
  "admin-host": text,
  "admin-token": text,
  "log-level": text,
  help: { type: "boolean" },
} as const;

/** Names of the options that a configuration file may set. */
const settings = Object.keys(flags).filter((name) => name !== "config" && name !== "help");

/** Minimum length, so that guesses at the limited rate never succeed. */
const MIN_TOKEN_CHARACTERS = 16;

type Environment = Readonly<Record<string, string | undefined>>;
type TextFlag = {
  [Name in keyof typeof flags]: (typeof flags)[Name] extends { type: "string"; multiple?: never }
    ? Name
    : never;
}[keyof typeof flags];

type ListFlag = {
  [Name in keyof typeof flags]: (typeof flags)[Name] extends { multiple: true } ? Name : never;
}[keyof typeof flags];

/**
 * Returns the options. A flag wins over its variable, and the variable over the file. Returns undefined if
 * help was requested. Throws {@link UsageError} naming the setting, its value and what is allowed.
 */
export function serverOptions(args: readonly string[], environment: Environment): ServerOptions | undefined {
  const given = parsed(args);
  if (given.help) return undefined;
  const path = given.config ?? environment["PACELINE_CONFIG"];
  const file = path === undefined ? NO_FILE : readConfigFile(path, settings);
  const elsewhere = (name: string): string | undefined =>
    environment[variableOf(name)] ?? file.values.get(name);
  const textOf = (name: TextFlag): string | undefined => given[name] ?? elsewhere(name);
  const listOf = (name: ListFlag): readonly string[] =>
    (given[name] ?? [elsewhere(name) ?? ""]).flatMap((entry) => entry.split(",")).filter(Boolean);
  const origins = listOf("allow-origin");
  const switched = (name: "bind-tickets"): boolean =>
    given[name] ?? oneOf(name, elsewhere(name) ?? "0", ["0", "1"]) === "1";
  const chosenPort = textOf("port");
  const port = portOf("port", chosenPort ?? "8787");
  const host = textOf("host") ?? "127.0.0.1";
  const gameFile = textOf("game");
  const moveTo = addressOf("move-to", textOf("move-to"));
  const admin = adminOf(textOf);
  const turn = turnOf(listOf("turn"), textOf("turn-secret"));
  const webrtc = webRtcOf(textOf("webrtc"), {
    port,
    host,
    address: textOf("webrtc-address"),
    privateCandidates: privateCandidatesOf(textOf("webrtc-private")),
  });
  return {
    port,
    isPortChosen: chosenPort !== undefined,
    host,
    staticFolder: folderOf(textOf("static")),
    connectTo: originsOf([...listOf("connect-to"), ...(moveTo === undefined ? [] : [moveTo])]),
    gameFile,
    dataFolder: dataFolderOf(textOf("data") ?? DATA_FOLDER),
    logLevel: levelOf(textOf("log-level") ?? "info"),
    moveTo,
    drainMs: 1000 * wholeOf("drain-seconds", textOf("drain-seconds") ?? "30", 3600, " seconds"),
    admin,
    relay: {
      rooms: roomsOf(textOf("rooms"), gameFile),
      allowedOrigins: origins.includes("*") ? "*" : origins,
      publicHosts: [...listOf("public-host"), ...namesIn([host, admin?.host])],
      iceServers: listOf("ice").map(iceServerOf),
      // The relay checks the limits, and names a wrong one.
      limits: file.limits,
      ...windowOf(textOf("coalesce-ms")),
      bindTicketsToAddress: switched("bind-tickets"),
      trustedProxyHops: wholeOf("trust-proxy", textOf("trust-proxy") ?? "0", 8, " proxies"),
      ...buildOf(textOf("build")),
      ...(turn && { turn }),
      ...(webrtc && { webrtc }),
    },
  };
}

function adminOf(textOf: (name: TextFlag) => string | undefined): AdminOptions | undefined {
  const port = textOf("admin-port");
  const token = textOf("admin-token");
  if (port === undefined) return undefined;
  // The message leaves the token out.
  if (token === undefined || token.length < MIN_TOKEN_CHARACTERS) {
    const got = token === undefined ? "none" : `${token.length}`;
    throw new UsageError(
      `admin-token: expected at least ${MIN_TOKEN_CHARACTERS} characters where admin-port is set, got ${got}`,
    );
  }
  return { port: portOf("admin-port", port), host: textOf("admin-host") ?? "127.0.0.1", token };
}

/** Returns the host names among the addresses. The operator chose them, so no attacker did. */
function namesIn(hosts: readonly (string | undefined)[]): string[] {
  return hosts.filter((host) => host !== undefined && isIP(host) === 0) as string[];
}

function parsed(args: readonly string[]): ReturnType<typeof parseArgs<{ options: typeof flags }>>["values"] {
  try {
    // `--trust-proxy` alone means one proxy, but `parseArgs` has no optional values.
    const spelled = args.map((arg) => (arg === "--trust-proxy" ? "--trust-proxy=1" : arg));
    return parseArgs({ args: spelled, options: flags }).values;
  } catch (error) {
    // The first sentence names the flag. The others are about positional arguments, which do not exist here.
    const [sentence = ""] = String(error instanceof Error ? error.message : error).split(". ");
    const isUnknown = (error as { readonly code?: string }).code === "ERR_PARSE_ARGS_UNKNOWN_OPTION";
    const known = Object.keys(flags).map((name) => `--${name}`);
    throw new UsageError(isUnknown ? `${sentence}; there are ${known.join(", ")}` : sentence, {
      cause: error,
    });
  }
}

function variableOf(name: string): string {
  return `PACELINE_${name.toUpperCase().replaceAll("-", "_")}`;
}

function portOf(field: string, value: string): number {
  return wholeOf(field, value, 65_535);
}

function wholeOf(field: string, value: string, max: number, unit = ""): number {
  const number = Number(value);
  if (/^\d+$/.test(value) && number <= max) return number;
  throw new UsageError(`${field}: expected a whole number from 0 to ${max}${unit}, got "${value}"`);
}

function buildOf(build: string | undefined): Pick<RelayOptions, "build"> {
  return build === undefined ? {} : { build };
}

/** Reads the time that packets wait for each other. By default it depends on the size of the room. */
function windowOf(text: string | undefined): Pick<RelayOptions, "coalesceMs"> {
  return text === undefined ? {} : { coalesceMs: wholeOf("coalesce-ms", text, 5, " ms") };
}

/** Reads the TURN servers and their secret. The relay checks both. */
function turnOf(urls: readonly string[], secret: string | undefined): RelayOptions["turn"] {
  if (urls.length === 0 && secret === undefined) return undefined;
  if (secret === undefined)
    throw new UsageError("turn-secret: expected the secret of the TURN servers, got none");
  return { urls, secret };
}

/** Lowest port that the system gives to outgoing connections. */
const FIRST_EPHEMERAL_PORT = 32_768;

function webRtcOf(
  given: string | undefined,
  own: {
    readonly port: number;
    readonly host: string;
    readonly address: string | undefined;
    readonly privateCandidates: PrivateCandidates | undefined;
  },
): RelayOptions["webrtc"] {
  if (given === "off") return undefined;
  if (given === undefined && own.port >= FIRST_EPHEMERAL_PORT) return undefined;
  const port = given === undefined ? own.port : Number(given);
  if (given !== undefined && !(/^\d+$/.test(given) && port < FIRST_EPHEMERAL_PORT)) {
    throw new UsageError(`webrtc: expected off, or a whole number from 0 to 32767, got "${given}"`);
  }
  const isEverywhere = own.host === "0.0.0.0" || own.host === "::" || isIP(own.host) === 0;
  return {
    port,
    ...(own.privateCandidates !== undefined && { privateCandidates: own.privateCandidates }),
    ...(!isEverywhere && { bindAddress: own.host }),
    ...(own.address !== undefined && { announcedAddress: own.address }),
  };
}

function addressOf(field: string, value: string | undefined): string | undefined {
  if (value === undefined || (/^https?:\/\/[^\s/]+/.test(value) && URL.canParse(value))) return value;
  throw new UsageError(`${field}: expected an http(s) address, got "${value}"`);
}

/**
 * Returns origins, since a content security policy with paths would permit less than the operator expects.
 */
function originsOf(urls: readonly string[]): string[] {
  return urls.map((url) => new URL(addressOf("connect-to", url)!).origin);
}

function privateCandidatesOf(value: string | undefined): PrivateCandidates | undefined {
  return value === undefined ? undefined : oneOf("webrtc-private", value, privateCandidates);
}

function folderOf(path: string | undefined): string | undefined {
  if (path === undefined || statSync(path, { throwIfNoEntry: false })?.isDirectory()) return path;
  throw new UsageError(`static: expected a folder that exists, got "${path}"`);
}

/** The server makes the directory at its first save. A file of that name is a mistake that shows at once. */
function dataFolderOf(folder: string): string {
  const found = folder === "" ? undefined : statSync(folder, { throwIfNoEntry: false });
  if (folder !== "" && (found === undefined || found.isDirectory())) return folder;
  throw new UsageError(`data: expected a directory, or a name for a new one, got "${folder}"`);
}

function levelOf(value: string): LogLevel {
  return oneOf("log-level", value, logLevels);
}

function oneOf<Choice extends string>(field: string, value: string, choices: readonly Choice[]): Choice {
  const choice = choices.find((each) => each === value);
  if (choice !== undefined) return choice;
  throw new UsageError(`${field}: expected one of ${choices.join(", ")}, got "${value}"`);
}

/**
 * Reads names and sizes of rooms, such as `race:16,lobby`. The relay checks both. By default a game that
 * names its own rooms gets no others.
 */
function roomsOf(given: string | undefined, gameFile: string | undefined): RelayOptions["rooms"] {
  if (given === undefined && gameFile !== undefined) return {};
  const value = given ?? "race:16";
  const kinds = value.split(",").map((entry) => {
    const [name = "", peers] = entry.trim().split(":", 2);
    return [name, peers === undefined ? {} : { maxPlayers: Number(peers) }] as const;
  });
  return Object.fromEntries(kinds);
}

function iceServerOf(entry: string): IceServer {
  const [urls = "", username, credential, ...more] = entry.trim().split(/\s+/);
  if (more.length > 0 || (username !== undefined && credential === undefined)) {
    throw new UsageError('ice: expected "URL" or "URL USER WORD"');
  }
  return username === undefined || credential === undefined ? { urls } : { urls, username, credential };
}
