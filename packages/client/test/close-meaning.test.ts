import { CloseCode } from "@paceline/protocol";
import { expect, test } from "vitest";
import { errorOf } from "../src/connection/close-meaning.js";

const meanings: Record<keyof typeof CloseCode, string> = {
  left: "session/ended",
  serverShutdown: "session/ended, again",
  timeout: "session/timeout, again",
  replaced: "session/ended",
  kicked: "session/ended",
  suspended: "session/ended, again",
  roomClosed: "session/ended, again",
  internalError: "session/ended, again",
  unloaded: "session/ended, again",
  refused: "session/refused",
  ticketExpired: "session/expired, again",
  ticketUsed: "session/expired, again",
  sessionUnknown: "session/expired, again",
  originRefused: "session/origin",
  versionMismatch: "session/version",
  matchRefused: "match/refused",
  joinRefused: "session/refused",
  protocolViolation: "session/ended",
  flooding: "session/ended",
  tooSlow: "session/ended, again",
  overBudget: "session/ended, again",
};

const meaningOf = (code: number, reason: string): string => {
  const { code: error, retryable, message } = errorOf({ code, reason });
  expect(message).toBe(`the reason [${error}]`);
  return retryable ? `${error}, again` : error;
};

test.each(Object.entries(CloseCode))(
  "a join that ends with %s has one code, and the reason",
  (name, code) => {
    const reason = code === CloseCode.matchRefused ? "match/refused the reason" : "the reason";
    expect(meaningOf(code, reason)).toBe(meanings[name as keyof typeof CloseCode]);
  },
);

test.each([
  ["match/full", true],
  ["match/not-found", true],
  ["match/rate-limited", true],
  ["match/auth-unavailable", true],
  ["match/room-failed", true],
  ["match/unauthorized", false],
  ["match/unknown-room", false],
  ["match/outdated", false],
  ["match/bad-request", false],
])("a refused join says the same in the upgrade and over HTTP: %s is retryable: %s", (code, retryable) => {
  expect(errorOf({ code: CloseCode.matchRefused, reason: `${code} words` })).toMatchObject({
    code,
    retryable,
    message: `words [${code}]`,
  });
});
