import {
  createLocalJWKSet,
  createRemoteJWKSet,
  errors,
  jwtVerify,
  type JWTPayload,
  type JWTVerifyOptions,
} from "jose";
import { Refusal } from "../hooks/hooks.js";
import type { Authenticator, Identity } from "./identity.js";
import { checkedJwtOptions, type JwtAuthOptions, type JwtSettings } from "./jwt-options.js";

const NO_JWT = "the token is no JSON Web Token";

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
    if (!isCompactJwt(token)) throw new Refusal(NO_JWT, { kind: "unauthorized" });
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

/**
 * Returns the refusal for a failed check, with the reason in words for the player. The kind is `unavailable`
 * if the token could not be checked.
 */
function refusalOf(error: unknown): Refusal {
  if (error instanceof Refusal) return error;
  const words = wordsOf(error);
  if (words !== undefined) return new Refusal(words, { kind: "unauthorized", cause: error });
  // Otherwise the keys could not be fetched, or are invalid.
  const text = "the server cannot check tokens at the moment: the keys of the issuer cannot be fetched";
  return new Refusal(text, { kind: "unavailable", cause: error });
}

const plainWords: readonly (readonly [new (...args: never[]) => Error, string])[] = [
  [errors.JWTExpired, "the token has expired"],
  [
    errors.JWSSignatureVerificationFailed,
    "the token's signature is wrong: sign in at the issuer that this server trusts",
  ],
  [errors.JOSEAlgNotAllowed, "the token is signed in a way that is not allowed"],
  [errors.JWKSNoMatchingKey, "the token is signed by a key that the issuer does not have"],
  [errors.JWKSMultipleMatchingKeys, "the token does not say which key signed it"],
  [errors.JWSInvalid, NO_JWT],
  [errors.JWTInvalid, NO_JWT],
  [errors.JOSENotSupported, "the token asks for what this server does not support"],
];

function wordsOf(error: unknown): string | undefined {
  if (error instanceof errors.JWTClaimValidationFailed) return claimWords(error);
  return plainWords.find(([type]) => error instanceof type)?.[1];
}

function claimWords({ claim, reason }: errors.JWTClaimValidationFailed): string {
  if (reason === "missing") return `the token has no claim "${claim}"`;
  if (claim === "aud") return "the token is for another audience";
  if (claim === "iss") return "the token is of another issuer";
  if (claim === "nbf" || claim === "iat") return "the token is not valid yet: is a clock wrong?";
  return `the token's claim "${claim}" is wrong`;
}

/**
 * Returns true if the text is three parts of base64url (RFC 7515, section 7.1), spelled in the only way that
 * encoding their bytes gives. Decoders also accept padding, spaces and other unused bits, so that one token would
 * have many texts, and a list of revoked tokens would miss some.
 */
export function isCompactJwt(token: string): boolean {
  const parts = token.split(".");
  return parts.length === 3 && parts.every((part) => encodedAgain(part) === part);
}

const encodedAgain = (part: string): string => Buffer.from(part, "base64url").toString("base64url");
