import { createHmac, randomUUID } from "node:crypto";
import { assertRange } from "@paceline/relay";
import { SignJWT, decodeProtectedHeader, jwtVerify } from "jose";
import type { AuthRequest } from "../room/room.js";
import type { Authenticator, Identity } from "./identity.js";
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
  const guests = new Guests(options);
  const { members } = options;
  return async (request) => {
    const isGuests = request.token === "" || typeOf(request.token) === TYPE;
    return members && !isGuests ? members(request) : guests.identify(request);
  };
}

class Guests {
  readonly #key: Uint8Array;
  readonly #lifetimeS: number;
  readonly #nowMs: () => number;

  constructor({ secret, lifetimeDays = 365, nowMs = Date.now }: GuestAuthOptions) {
    assertRange("lifetimeDays", lifetimeDays, [1, 3650, "days"]);
    // Derive the key, so that a token that another program signed with the same secret is not an identity.
    this.#key = createHmac("sha256", secretBytes("secret", secret)).update(TYPE).digest();
    this.#lifetimeS = lifetimeDays * DAY_S;
    this.#nowMs = nowMs;
  }

  async identify(request: AuthRequest): Promise<Identity> {
    const { token } = request;
    const known = token === "" ? undefined : await this.#read(token);
    const id = known?.id ?? `guest-${randomUUID()}`;
    const nowS = Math.floor(this.#nowMs() / 1000);
    const isFresh = known !== undefined && nowS - known.issuedAtS < this.#lifetimeS * RENEWED_AFTER;
    if (!isFresh) request.keepIdentity(await this.#sign(id, nowS));
    return Object.freeze({ id, roles: Object.freeze([]), isGuest: true, claims: Object.freeze({}) });
  }

  #sign(id: string, nowS: number): Promise<string> {
    return new SignJWT({})
      .setProtectedHeader({ alg: "HS256", typ: TYPE })
      .setSubject(id)
      .setIssuedAt(nowS)
      .setExpirationTime(nowS + this.#lifetimeS)
      .sign(this.#key);
  }

  async #read(token: string): Promise<{ readonly id: string; readonly issuedAtS: number } | undefined> {
    try {
      const { payload } = await jwtVerify(token, this.#key, {
        algorithms: ["HS256"],
        typ: TYPE,
        currentDate: new Date(this.#nowMs()),
        requiredClaims: ["sub", "iat", "exp"],
      });
      return { id: payload.sub!, issuedAtS: payload.iat! };
    } catch {
      return undefined;
    }
  }
}

function typeOf(token: string): unknown {
  try {
    return decodeProtectedHeader(token).typ;
  } catch {
    return undefined;
  }
}
