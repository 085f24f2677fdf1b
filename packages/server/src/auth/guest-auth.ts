import { createHmac, randomUUID } from "node:crypto";
import { assertRange } from "@paceline/protocol";
import { SignJWT, decodeProtectedHeader, jwtVerify, type JWTPayload } from "jose";
import type { Authenticator } from "./identity.js";
import { isCompactJwt } from "./jwt-auth.js";
import { secretBytes } from "./jwt-options.js";

/** Options of {@link guestAuth}. */
export interface GuestAuthOptions {
  /**
   * Key that signs identities, at least 32 bytes. All servers of a site need the same one, also after a
   * restart.
   */
  readonly secret: string | Uint8Array;
  /** Lifetime of an identity since its last renewal, 1 to 3650 days. Default 365. */
  readonly lifetimeDays?: number;
  /** Authenticator for tokens of other types. Default: none, and their players become new guests. */
  readonly members?: Authenticator;
  /** Current time, ms since the epoch. Default: `Date.now`. */
  readonly nowMs?: () => number;
}

const TYPE = "paceline-guest+jwt";
const DAY_S = 86_400;
/** Share of the lifetime after which the server renews an identity. */
const RENEWED_AFTER = 0.5;

/**
 * Returns an authenticator that gives each player without a token a new identity, signed by the server. The
 * client stores it (`keepIdentity`) and sends it the next time. A forged or expired identity is replaced by a
 * new one: no guest is refused, and a forger gains nothing.
 */
export function guestAuth(options: GuestAuthOptions): Authenticator {
  const { members, secret, lifetimeDays = 365, nowMs = Date.now } = options;
  assertRange("lifetimeDays", lifetimeDays, [1, 3650, "days"]);
  const lifetimeS = lifetimeDays * DAY_S;
  // Derive the key, so that a token that another program signed with the same secret is not an identity.
  const key = createHmac("sha256", secretBytes("secret", secret)).update(TYPE).digest();
  return async (request) => {
    const { token } = request;
    if (members && token !== "" && typeOf(token) !== TYPE) return members(request);
    const known = token === "" ? undefined : await payloadOf(token, key, nowMs());
    const id = known?.sub ?? `guest-${randomUUID()}`;
    const nowS = Math.floor(nowMs() / 1000);
    const isFresh = known !== undefined && nowS - known.iat! < lifetimeS * RENEWED_AFTER;
    if (!isFresh) request.keepIdentity(await signed(id, key, nowS, lifetimeS));
    return Object.freeze({ id, roles: Object.freeze([]), isGuest: true, claims: Object.freeze({}) });
  };
}

function signed(id: string, key: Uint8Array, nowS: number, lifetimeS: number): Promise<string> {
  return new SignJWT({})
    .setProtectedHeader({ alg: "HS256", typ: TYPE })
    .setSubject(id)
    .setIssuedAt(nowS)
    .setExpirationTime(nowS + lifetimeS)
    .sign(key);
}

/** Returns the contents of an identity; undefined if it is forged or expired. */
async function payloadOf(token: string, key: Uint8Array, nowMs: number): Promise<JWTPayload | undefined> {
  if (!isCompactJwt(token)) return undefined;
  const requiredClaims = ["sub", "iat", "exp"];
  const checks = { algorithms: ["HS256"], typ: TYPE, currentDate: new Date(nowMs), requiredClaims };
  return jwtVerify(token, key, checks).then(
    ({ payload }) => payload,
    () => undefined,
  );
}

function typeOf(token: string): unknown {
  try {
    return decodeProtectedHeader(token).typ;
  } catch {
    return undefined;
  }
}
