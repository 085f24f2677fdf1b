import { createHmac, timingSafeEqual } from "node:crypto";

/** Contents of a seat ticket. */
export interface TicketClaims {
  readonly roomId: string;
  /** Session that the seat is for. It makes the ticket unique. */
  readonly sessionId: string;
  readonly webrtc: boolean;
  /** Hash of the address that it was issued to; empty if any address may use it. */
  readonly network: string;
}

/** Far above the length that {@link signTicket} writes. Longer texts are refused unread. */
const MAX_TICKET_CHARACTERS = 1024;

/** Writes claims as `base64url(JSON).base64url(HMAC-SHA256)`. */
export function signTicket(claims: TicketClaims, secret: Uint8Array): string {
  const body = Buffer.from(JSON.stringify(claims)).toString("base64url");
  return `${body}.${signature(body, secret).toString("base64url")}`;
}

/** Returns the claims of a ticket that was signed with this secret, or undefined for any other text. */
export function readTicket(ticket: string, secret: Uint8Array): TicketClaims | undefined {
  if (ticket.length > MAX_TICKET_CHARACTERS) return undefined;
  const [body = "", signed = "", ...more] = ticket.split(".");
  const given = Buffer.from(signed, "base64url");
  const expected = signature(body, secret);
  if (more.length > 0 || given.length !== expected.length || !timingSafeEqual(given, expected)) {
    return undefined;
  }
  return claimsOf(body);
}

function signature(body: string, secret: Uint8Array): Buffer {
  return createHmac("sha256", secret).update(body).digest();
}

/**
 * Returns the claims if their shape is right. Another version with the same secret may have signed other
 * ones.
 */
function claimsOf(body: string): TicketClaims | undefined {
  let value: unknown;
  try {
    value = JSON.parse(Buffer.from(body, "base64url").toString("utf8"));
  } catch {
    return undefined;
  }
  if (typeof value !== "object" || value === null) return undefined;
  const { roomId, sessionId, webrtc, network } = value as Record<string, unknown>;
  const isComplete =
    typeof roomId === "string" && typeof sessionId === "string" && typeof webrtc === "boolean";
  return isComplete && typeof network === "string" ? { roomId, sessionId, webrtc, network } : undefined;
}
