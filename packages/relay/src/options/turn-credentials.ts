import { createHmac } from "node:crypto";
import { ConfigError, assertWhole, checkKeys, type IceServer } from "@paceline/protocol";

/** TURN servers that share a secret with the relay (coturn: `use-auth-secret`, `static-auth-secret`). */
export interface TurnOptions {
  /** Their addresses: `turn:host:3478`, `turn:host:3478?transport=tcp`, `turns:host:5349`; at most 4. */
  readonly urls: readonly string[];
  /** Secret that the TURN servers have too. */
  readonly secret: string;
  /** Lifetime of a password, s: 60 to 86400. Default 600. */
  readonly lifetimeS?: number;
}

const MAX_URLS = 4;
/** Minimum, since an attacker with one password can guess the secret offline. */
const MIN_SECRET_CHARACTERS = 32;
const DEFAULT_LIFETIME_S = 600;

/**
 * Creates passwords for TURN servers in the format of coturn's REST API: the user name holds the expiry and
 * the session, the password is its HMAC. Only members of a room get one, and only for minutes, so that nobody
 * else uses the TURN servers.
 */
export function turnCredentials(options: TurnOptions, wallClockMs: () => number) {
  checkKeys("turn", options, ["urls", "secret", "lifetimeS"]);
  const { secret, lifetimeS = DEFAULT_LIFETIME_S } = options;
  const urls = turnUrls(options.urls);
  if (typeof secret !== "string" || secret.length < MIN_SECRET_CHARACTERS) {
    const value = typeof secret === "string" ? `${secret.length} characters` : typeof secret;
    const expected = `the secret of the TURN servers (static-auth-secret), at least ${MIN_SECRET_CHARACTERS} characters`;
    throw new ConfigError("turn.secret", value, expected);
  }
  assertWhole("turn.lifetimeS", lifetimeS, { min: 60, max: 86_400, unit: "s" });
  return {
    lifetimeMs: lifetimeS * 1000,
    /** Returns the TURN servers with a password for this session. */
    mint: (sessionId: string): IceServer[] => {
      const username = `${Math.floor(wallClockMs() / 1000 + lifetimeS)}:${sessionId}`;
      const credential = createHmac("sha1", secret).update(username).digest("base64");
      return urls.map((url) => ({ urls: url, username, credential }));
    },
  };
}

function turnUrls(urls: unknown): readonly string[] {
  const expected = `1 to ${MAX_URLS} addresses of TURN servers, as turn:host:3478`;
  if (!Array.isArray(urls) || urls.length === 0 || urls.length > MAX_URLS)
    throw new ConfigError("turn.urls", urls, expected);
  for (const url of urls) {
    if (typeof url !== "string" || url.length > 512 || !/^turns?:[^\s?]+(\?transport=(udp|tcp))?$/.test(url))
      throw new ConfigError("turn.urls", url, expected);
  }
  return Object.freeze([...(urls as string[])]);
}
