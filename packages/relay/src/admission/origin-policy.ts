import type { IncomingMessage } from "node:http";
import { isIP } from "node:net";
import { ConfigError } from "@paceline/protocol";
import type { Clock } from "@paceline/transport";
import { LogThrottle, type Log } from "../ops/log.js";

/**
 * Pages that may use the server. `"*"`: all pages. A list: pages of these origins and of the server's own
 * host. Default: pages of its own host. An app's origin is what its web view sends: `capacitor://localhost`,
 * `tauri://localhost`, `file://`. `"null"` is the origin of files and of sandboxed frames of any page.
 */
export type AllowedOrigins = "*" | readonly string[];

/** Options of an {@link OriginPolicy}. */
export interface OriginPolicyOptions {
  readonly allowedOrigins: AllowedOrigins;
  /** Names of the server, such as `play.example.com` (on every port) or `play.example.com:8443`. */
  readonly publicHosts: readonly string[];
  /** Sink of refusals, at most one line a second. */
  readonly log: Log;
  readonly clock: Clock;
}

/** The parts of a request that decide whether it may come in. */
export type RequestHead = Pick<IncomingMessage, "headers"> &
  Partial<Pick<IncomingMessage, "rawHeaders" | "url">>;

/** The reason why a request is refused. */
export interface OriginRefusal {
  /** HTTP status: 403 for the page's origin, 421 for the name in `Host`, 400 for a malformed request. */
  readonly status: 400 | 403 | 421;
  /** Error code for a client that asked for a match. */
  readonly code: "match/bad-request" | "session/origin";
  /**
   * Message to the operator. Names the setting that would admit the request first, since a close reason is cut
   * at 123 bytes.
   */
  readonly message: string;
}

/**
 * A path and perhaps a query. Excludes the absolute form, which names a second host; `//` and `/\\`, which URL
 * parsers take for a host; and fragments, which clients never send.
 */
const TARGET = /^\/(?![/\\])[\x21\x22\x24-\x7e]*$/;

/** Longest part of a refused header that an answer quotes. */
const MAX_QUOTED_CHARACTERS = 200;

/**
 * Decides by the headers `Origin` and `Host` whether a page may use the server. An `Origin` equal to the host
 * proves nothing if anybody may point that name at this machine (DNS rebinding). So a name counts only if it
 * is configured. Addresses and `localhost` need no setting, whatever address the server listens on: a rebound
 * page's `Host` is a name that its attacker owns, never an address, and behind a proxy the server does not
 * know the address by which players come.
 */
export class OriginPolicy {
  readonly #allowed: AllowedOrigins;
  readonly #publicHosts: ReadonlySet<string>;
  readonly #log: Log;
  readonly #throttle: LogThrottle;

  /** Throws {@link ConfigError} for an entry that is no origin or no host. */
  constructor({ allowedOrigins, publicHosts, log, clock }: OriginPolicyOptions) {
    this.#allowed = checkedOrigins(allowedOrigins);
    this.#publicHosts = checkedHosts(publicHosts);
    this.#log = log;
    this.#throttle = new LogThrottle(clock);
  }

  /** Returns undefined if the request may come in. Logs each refusal. */
  refusalOf(request: RequestHead): OriginRefusal | undefined {
    const { origin, host } = request.headers;
    return this.malformed(request) ?? this.#logged(request, this.#judge(origin, host?.toLowerCase()));
  }

  /**
   * Returns the refusal of a request that no honest client sends, under whatever name: its target is no path,
   * or its `Host` is invalid or repeated. Returns undefined for others. Logs each refusal.
   */
  malformed(request: RequestHead): OriginRefusal | undefined {
    const message = formFaultOf(request);
    return this.#logged(request, message === undefined ? undefined : malformed(message));
  }

  /** Returns true for a configured name, an address and `localhost`, with any port. */
  isOwnHost(host: string): boolean {
    const lower = host.toLowerCase();
    const name = hostnameOf(lower);
    if (name === undefined) return false;
    return isAddress(name) || isLoopback(name) || this.#publicHosts.has(name) || this.#publicHosts.has(lower);
  }

  #logged({ headers }: RequestHead, refusal: OriginRefusal | undefined): OriginRefusal | undefined {
    if (!refusal) return undefined;
    const { status, message } = refusal;
    const facts = { status, origin: quoted(headers.origin), host: quoted(headers.host) };
    const what = status === 400 ? "request" : "page";
    this.#throttle.write(this.#log.warn, `refused a ${what}: ${message}`, facts, what);
    return refusal;
  }

  #judge(origin: string | undefined, host: string | undefined): OriginRefusal | undefined {
    // The operator trusts such a page, whatever host name it uses.
    if (this.#allowed === "*" || (origin !== undefined && this.#allowed.includes(origin))) return undefined;
    // Every browser sends `Host`. Other programs can forge both headers.
    if (host !== undefined && !this.isOwnHost(host)) {
      return {
        status: 421,
        code: "session/origin",
        message: `publicHosts: ["${quoted(host)}"] is missing in the server's options (--public-host)`,
      };
    }
    if (origin === undefined || hostOf(origin) === host) return undefined;
    if (host !== undefined && isLoopback(hostnameOf(host)) && isLoopback(hostnameOf(hostOf(origin))))
      return undefined;
    return {
      status: 403,
      code: "session/origin",
      message: `allowedOrigins: ["${quoted(origin)}"] is missing in the server's options (--allow-origin)`,
    };
  }
}

/** The refusal of a request that no honest client sends. */
export function malformed(message: string): OriginRefusal {
  return { status: 400, code: "match/bad-request", message };
}

/** Returns what is wrong with the form of a request, or undefined. */
function formFaultOf({ headers, rawHeaders = [], url = "/" }: RequestHead): string | undefined {
  if (!TARGET.test(url)) return `the target must be a path such as /match, got "${quoted(url)}"`;
  // Node keeps the first of several in `headers`; a proxy in front may have checked another.
  const hosts = rawHeaders.filter((name, index) => index % 2 === 0 && name.toLowerCase() === "host");
  if (hosts.length > 1) return "expected one Host, got several";
  const { host } = headers;
  if (host === undefined || hostnameOf(host.toLowerCase()) !== undefined) return undefined;
  return `Host: expected a name or an address, got "${quoted(host)}"`;
}

function checkedOrigins(allowed: AllowedOrigins): AllowedOrigins {
  if (allowed === "*") return allowed;
  if (Array.isArray(allowed) && allowed.every((origin) => isOrigin(origin))) return [...allowed];
  const value = Array.isArray(allowed) ? allowed.find((origin) => !isOrigin(origin)) : allowed;
  const expected =
    '"*" or a list of origins such as "https://play.example.com" or "capacitor://localhost", without a path';
  throw new ConfigError("allowedOrigins", value, expected);
}

function checkedHosts(hosts: readonly string[]): ReadonlySet<string> {
  const expected = 'a list of hosts such as "play.example.com" or "play.example.com:8443"';
  if (!Array.isArray(hosts)) throw new ConfigError("publicHosts", hosts, expected);
  for (const host of hosts) {
    const isHost = typeof host === "string" && hostnameOf(host.toLowerCase()) !== undefined;
    if (!isHost) throw new ConfigError("publicHosts", host, expected);
  }
  return new Set(hosts.map((host: string) => host.toLowerCase()));
}

/**
 * Returns true for every text that browsers and web views send in `Origin`. `URL` knows the origins of the
 * web's own schemes only; apps have others, such as `capacitor://localhost`, `app://.` and `file://`.
 */
function isOrigin(value: unknown): boolean {
  if (typeof value !== "string") return false;
  if (value === "null" || (APP_ORIGIN.test(value) && !WEB_SCHEME.test(value))) return true;
  return URL.canParse(value) && new URL(value).origin === value;
}

const APP_ORIGIN = /^[a-z][a-z\d+.-]*:\/\/[\w.:[\]-]*$/;
const WEB_SCHEME = /^(https?|wss?|ftp):/;

function hostOf(origin: string): string | undefined {
  return URL.canParse(origin) ? new URL(origin).host : undefined;
}

/** Returns the name or address without the port, or undefined if the text is no host. */
function hostnameOf(host: string | undefined): string | undefined {
  if (host === undefined) return undefined;
  return /^(\[[\da-f:.]+\]|[a-z\d_]([a-z\d_.-]*[a-z\d_])?)(:\d{1,5})?$/.exec(host)?.[1];
}

function isAddress(hostname: string): boolean {
  return isIP(hostname.replace(/^\[|\]$/g, "")) !== 0;
}

/**
 * Returns true for loopback addresses and `localhost`, which browsers resolve without DNS (RFC 6761, section
 * 6.3).
 */
function isLoopback(hostname: string | undefined): boolean {
  if (hostname === undefined) return false;
  if (hostname === "localhost" || hostname.endsWith(".localhost") || hostname === "[::1]") return true;
  return isIP(hostname) === 4 && hostname.startsWith("127.");
}

function quoted(header: string | undefined): string {
  return header === undefined ? "none" : header.slice(0, MAX_QUOTED_CHARACTERS);
}
