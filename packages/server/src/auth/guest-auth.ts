import { createHmac, randomUUID } from "node:crypto";
import { ConfigError } from "@paceline/protocol";
import { SignJWT, decodeProtectedHeader, jwtVerify } from "jose";
import type { AuthRequest } from "../room/room.js";
import type { Authenticator, Identity } from "./identity.js";
import { secretBytes } from "./jwt-options.js";

/** Options of {@link guestAuth}. */
export interface GuestAuthOptions {
  /** Signs identities; 32 bytes at least. The same for all servers of a site, and after a restart. */
  readonly secret: string | Uint8Array;
  /** Days that an identity is good for since it was last renewed, 1 to 3650. Default 365. */
  readonly lifetimeDays?: number;
  /** The `onAuth` for tokens that are not a guest's. Default: none, and their players become new guests. */
  readonly members?: Authenticator;
  /** Milliseconds since the epoch. Default: `Date.now`. */
  readonly nowMs?: () => number;
}

const TYPE = "paceline-guest+jwt";
const DAY_S = 86_400;
/** Renewed when this share of its life is over. */
const RENEWED_AFTER = 0.5;

/**
 * Gives everybody without a token an identity, signed by the server, which the client keeps (`keepIdentity`) and shows
 * the next time. An identity that is forged or over is replaced by a new one: nobody is kept out, and nothing is gained.
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
    if (!(lifetimeDays >= 1 && lifetimeDays <= 3650)) {
      throw new ConfigError({ field: "lifetimeDays", value: lifetimeDays, expected: "1 to 3650 days" });
    }
    // A key of its own: a token that something else has signed with the same secret is nobody's identity.
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
