import { CloseCode, NetError, mayJoinAgain, type ErrorCode } from "@paceline/protocol";
import type { LinkClose } from "@paceline/transport";
import { matchRefusal } from "./match-request.js";

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

/** Returns the error of a failed join, from the close of its link or of its session. */
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
  const code = codes[close.code] ?? (close.code < CloseCode.left ? "transport/closed" : "session/ended");
  // The server gave a seat, so it is reachable, but the link did not open. Browsers give no reason for that.
  const isCut = close.code === ABNORMAL;
  const words = isCut
    ? "the link did not open: the server is gone, or a proxy lets no WebSocket through"
    : close.reason || `the link closed with code ${close.code}`;
  const retryable = close.code !== CloseCode.refused && mayJoinAgain(close.code);
  return new NetError(code, words, { retryable });
}

/** Refusals that concern the player, so that a return ends at once. Others may pass: a room is full, a server restarts. */
const finalRefusals: ReadonlySet<ErrorCode> = new Set(["match/refused", "match/unauthorized"]);

/** The server's refusal of a player who returns, as the end of its session. */
interface ReturnRefusal extends LinkClose {
  /** True: the same player has no chance, and need not try for longer. */
  readonly isFinal: boolean;
}

/** Returns the refusal in the error of a match request; undefined if the server has refused nothing. */
export function returnRefusalOf(error: unknown): ReturnRefusal | undefined {
  if (!(error instanceof NetError)) return undefined;
  const { code, message, retryable } = error;
  const isAnswer = code.startsWith("match/") && code !== "match/unreachable" && code !== "match/bad-answer";
  if (!isAnswer) return undefined;
  const reason = `${code} ${message.replace(` [${code}]`, "")}`;
  return { code: CloseCode.matchRefused, reason, isFinal: !retryable && finalRefusals.has(code) };
}
