import { ConfigError } from "@paceline/protocol";
import { assertRange } from "@paceline/protocol";
import type { JSONWebKeySet } from "jose";

/**
 * Options of {@link jwtAuth}: exactly one of `secret`, `jwks` and `jwksUrl`, and the expected issuer and
 * audience.
 */
export interface JwtAuthOptions {
  /** Secret that the signer of the tokens shares, at least 32 bytes. */
  readonly secret?: string | Uint8Array;
  /** The issuer's public keys. */
  readonly jwks?: JSONWebKeySet;
  /**
   * URL of the issuer's keys: https, or http on this machine. The server fetches them at first use, then
   * caches them.
   */
  readonly jwksUrl?: string;
  /** Accepted values of the token's `iss`. */
  readonly issuer: string | readonly string[];
  /** Accepted values of the token's `aud`. */
  readonly audience: string | readonly string[];
  /** Accepted signature algorithms. Default: HS256 with a secret; else RS256, PS256, ES256 and EdDSA. */
  readonly algorithms?: readonly string[];
  /** Tolerated clock difference, 0 to 300 s. Default 5. */
  readonly clockToleranceS?: number;
  /** Claim that lists roles: strings, or one string with spaces between. Default `roles`. */
  readonly rolesClaim?: string;
  /** Current time, ms since the epoch. Default: `Date.now`. */
  readonly nowMs?: () => number;
}

const SECRET_ALGORITHMS = ["HS256", "HS384", "HS512"];
const KEY_ALGORITHMS = [
  ...["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"],
  ...["ES256", "ES384", "ES512", "EdDSA", "Ed25519"],
];
const DEFAULT_KEY_ALGORITHMS = ["RS256", "PS256", "ES256", "EdDSA"];
const MIN_SECRET_BYTES = 32;

/**
 * Checks the options and fills the defaults. Throws {@link ConfigError} naming field, value, range and unit.
 */
export function checkedJwtOptions(options: JwtAuthOptions) {
  const { secret, jwks, jwksUrl } = options;
  const given = [secret, jwks, jwksUrl].filter((way) => way !== undefined).length;
  if (given !== 1) {
    throw new ConfigError("jwtAuth", `${given} of them`, "exactly one of secret, jwks and jwksUrl");
  }
  const { clockToleranceS = 5, rolesClaim = "roles", nowMs = Date.now } = options;
  assertRange("clockToleranceS", clockToleranceS, [0, 300, "s"]);
  return {
    secret: secret === undefined ? undefined : secretBytes("secret", secret),
    jwks: jwks === undefined ? undefined : checkedKeys(jwks),
    jwksUrl: jwksUrl === undefined ? undefined : checkedUrl(jwksUrl),
    issuer: textsOf("issuer", options.issuer),
    audience: textsOf("audience", options.audience),
    algorithms: algorithmsOf(options.algorithms, secret !== undefined),
    clockToleranceS,
    rolesClaim,
    nowMs,
  };
}

/** Checked options with all defaults filled in. */
export type JwtSettings = ReturnType<typeof checkedJwtOptions>;

/** Returns the secret as bytes. An error message never contains the secret. */
export function secretBytes(field: string, secret: unknown): Uint8Array {
  const bytes = typeof secret === "string" ? new TextEncoder().encode(secret) : secret;
  if (bytes instanceof Uint8Array && bytes.length >= MIN_SECRET_BYTES) return bytes;
  const value = bytes instanceof Uint8Array ? `${bytes.length} bytes` : typeof secret;
  throw new ConfigError(field, value, `text or bytes, at least ${MIN_SECRET_BYTES} bytes`);
}

function textsOf(field: string, given: unknown): string[] {
  const texts: unknown[] = Array.isArray(given) ? given : [given];
  const isText = (text: unknown): text is string => typeof text === "string" && text !== "";
  if (texts.length > 0 && texts.every(isText)) return texts;
  throw new ConfigError(field, given, "text, or a list of texts");
}

/**
 * Keeps one list for secrets and one for public keys. With one list for both, an attacker could use a public
 * key as the secret of a signature.
 */
function algorithmsOf(given: readonly string[] | undefined, isSecret: boolean): string[] {
  const known = isSecret ? SECRET_ALGORITHMS : KEY_ALGORITHMS;
  const algorithms = given ?? (isSecret ? ["HS256"] : DEFAULT_KEY_ALGORITHMS);
  if (algorithms.length > 0 && algorithms.every((name) => known.includes(name))) return [...algorithms];
  throw new ConfigError("algorithms", algorithms, `some of ${known.join(", ")}`);
}

function checkedKeys(jwks: JSONWebKeySet): JSONWebKeySet {
  if (Array.isArray(jwks.keys) && jwks.keys.length > 0) return jwks;
  throw new ConfigError("jwks", jwks, "an object with a list of keys");
}

function checkedUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const isHere = url !== undefined && ["localhost", "127.0.0.1", "[::1]"].includes(url.hostname);
  if (url?.protocol === "https:" || (url?.protocol === "http:" && isHere)) return url;
  const expected = "an https address; http only on this machine, or anybody on the way could give the keys";
  throw new ConfigError("jwksUrl", text, expected);
}
