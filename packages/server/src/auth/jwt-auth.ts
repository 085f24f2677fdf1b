import {
  createLocalJWKSet,
  createRemoteJWKSet,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyOptions,
} from "jose";
import { Refusal } from "../room/refusal.js";
import type { Authenticator, Identity } from "./identity.js";
import { checkedJwtOptions, type JwtAuthOptions, type JwtSettings } from "./jwt-options.js";
import { refusalOf } from "./jwt-refusal.js";

type Verify = (token: string, options: JWTVerifyOptions) => Promise<{ readonly payload: JWTPayload }>;

/**
 * Returns an authenticator that checks JSON Web Tokens. Use it as a room's static `onAuth`: `player.auth` is
 * then an {@link Identity}. One of the keys must have signed the token. The token needs `exp` and `sub`, must
 * be valid now, and must name the issuer and the audience. Throws `ConfigError` for options that can never
 * work.
 */
export function jwtAuth(options: JwtAuthOptions): Authenticator {
  const settings = checkedJwtOptions(options);
  const verify = verifierOf(settings);
  const { issuer, audience, algorithms, clockToleranceS: clockTolerance, nowMs } = settings;
  const checks = { issuer, audience, algorithms, clockTolerance, requiredClaims: ["exp", "sub"] };
  return async ({ token }) => {
    if (token === "") throw new Refusal("a token is needed", { kind: "unauthorized" });
    try {
      const { payload } = await verify(token, { ...checks, currentDate: new Date(nowMs()) });
      return identityIn(payload, settings.rolesClaim);
    } catch (error) {
      throw refusalOf(error);
    }
  };
}

function verifierOf({ secret, jwks, jwksUrl }: JwtSettings): Verify {
  if (secret) return (token, options) => jwtVerify(token, secret, options);
  // Remote keys: gives up after 5 s, keeps them for ten minutes, fetches for an unknown one every 30 s at most.
  const keys = jwks ? createLocalJWKSet(jwks) : createRemoteJWKSet(jwksUrl!);
  return (token, options) => jwtVerify(token, keys, options);
}

function identityIn(payload: JWTPayload, rolesClaim: string): Identity {
  const { sub } = payload;
  if (typeof sub !== "string" || sub === "") {
    throw new Refusal(`the token's claim "sub" is no text`, { kind: "unauthorized" });
  }
  return Object.freeze({ id: sub, roles: rolesIn(payload[rolesClaim]), isGuest: false, claims: payload });
}

/** Reads roles from a list of strings, or from one string with spaces between, the form of OAuth scopes. */
function rolesIn(claim: unknown): readonly string[] {
  if (typeof claim === "string") return Object.freeze(claim.split(" ").filter((role) => role !== ""));
  if (!Array.isArray(claim)) return Object.freeze([]);
  return Object.freeze(claim.filter((role): role is string => typeof role === "string"));
}
