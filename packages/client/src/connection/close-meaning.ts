import { CloseCode, NetError, type ErrorCode } from "@paceline/protocol";
import type { LinkClose } from "@paceline/transport";
import { matchRefusal } from "./match-request.js";

/** Closes after which trying again would be wrong. */
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

/** Whether a link ended for a reason of its own, which says nothing about other links of its session. */
export function isBroken(code: number): boolean {
  return code < CloseCode.left || code === CloseCode.timeout || code === CloseCode.tooSlow;
}

/**
 * Whether a link that asked for a seat in its upgrade may have closed because nobody understood it: a proxy that lets no
 * such upgrade through, a server that wants to be asked first. A match request then gets a seat, or the reason.
 */
export function canJoinElsewhere(code: number): boolean {
  // Below 4000 the handshake failed, and nobody says why; a server that does not know this credential refuses it.
  return code < CloseCode.left || code === CloseCode.refused || code === CloseCode.timeout;
}

/** A WebSocket that ended without a close frame. */
const ABNORMAL = 1006;

/** Why a join failed, by the close of its link. */
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
  // The server has given a seat, so it is there; its link did not come about, and a browser does not say why.
  const isCut = close.code === ABNORMAL;
  const words = isCut
    ? "the link did not open: the server is gone, or a proxy lets no WebSocket through"
    : close.reason || `the link closed with code ${close.code}`;
  return new NetError(code, words, {
    retryable: code === "session/expired" || code === "session/timeout" || code === "transport/closed",
  });
}
