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
