import { errors } from "jose";
import { Refusal } from "../room/refusal.js";

/**
 * Returns the refusal for a failed check, with the reason in words for the player. The kind is `unavailable`
 * if the token could not be checked.
 */
export function refusalOf(error: unknown): Refusal {
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
  [errors.JWSInvalid, "the token is no JSON Web Token"],
  [errors.JWTInvalid, "the token is no JSON Web Token"],
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
