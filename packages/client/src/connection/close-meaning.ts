import { CloseCode, NetError, type ErrorCode } from "@paceline/protocol";
import type { LinkClose } from "@paceline/transport";
import { matchRefusal } from "./match-request.js";

/** Returns true for a close after which a new attempt would be wrong. */
export function isFinal(code: number): boolean {
  return (
    code === CloseCode.kicked ||
    code === CloseCode.roomClosed ||
    code === CloseCode.joinRefused ||
    code === CloseCode.replaced ||
    code === CloseCode.flooding ||
    code === CloseCode.protocolViolation ||
    code === CloseCode.originRefused ||
    code === CloseCode.versionMismatch
  );
}

/** Returns true for a close that concerns one link, and not the other links of its session. */
export function isBroken(code: number): boolean {
  return code < CloseCode.left || code === CloseCode.timeout || code === CloseCode.tooSlow;
}

/**
 * Returns true if a join in the upgrade may have failed because of the upgrade: a proxy blocks it, or the
 * server requires a match request first. A match request then gets a seat, or the reason.
 */
export function canJoinElsewhere(code: number): boolean {
  // Codes below 4000 mean a failed handshake without a reason. A server that does not know this credential
  // closes with `refused`.
  return code < CloseCode.left || code === CloseCode.refused || code === CloseCode.timeout;
}

/** Close code of a WebSocket that ended without a close frame. */
const ABNORMAL = 1006;

/** Returns the error of a failed join, from the close of its link. */
export function errorOf(close: LinkClose): NetError {
  if (close.code === CloseCode.matchRefused) return matchRefusal(close.reason);
  const codes: Readonly<Record<number, ErrorCode>> = {
    [CloseCode.refused]: "session/refused",
    [CloseCode.joinRefused]: "session/refused",
    [CloseCode.ticketExpired]: "session/expired",
    [CloseCode.ticketUsed]: "session/expired",
    [CloseCode.sessionUnknown]: "session/expired",
    [CloseCode.originRefused]: "session/origin",
    [CloseCode.versionMismatch]: "session/version",
    [CloseCode.timeout]: "session/timeout",
  };
  const code = codes[close.code] ?? "transport/closed";
  // The server gave a seat, so it is reachable, but the link did not open. Browsers give no reason for that.
  const isCut = close.code === ABNORMAL;
  const words = isCut
    ? "the link did not open: the server is gone, or a proxy lets no WebSocket through"
    : close.reason || `the link closed with code ${close.code}`;
  return new NetError(code, words, {
    retryable: code === "session/expired" || code === "session/timeout" || code === "transport/closed",
  });
}
