import { VirtualScheduler } from "@paceline/testkit";
import type { PathLink } from "@paceline/transport";
import { expect, test, vi } from "vitest";
import { Stripes } from "../src/connection/stripes.js";

const ROUND_TRIP_MS = 50;

/** Answers a ping a second, the last one late by `lateMs`. Returns the number of further pings in 5 s. */
function pingsAfter(lateMs: number, isBusy: boolean): number {
  const scheduler = new VirtualScheduler();
  const link = { state: "open", hasRoom: () => true, queuedBytes: 0 } as unknown as PathLink;
  const ping = vi.fn();
  const unanswered = { pingsSentMs: [], silentMs: 0, acknowledgedAtMs: 0 };
  const session = { activeLink: link, linkFor: () => link, hasOpenPings: false, unanswered, ping };
  const stripes = new Stripes({
    scheduler,
    loadStripes: () => new Promise(() => undefined),
    ask: () => undefined,
    open: () => link,
    session: () => session,
    onChange: () => undefined,
    onStalls: () => undefined,
  });
  stripes.use(link);
  const answer = (tookMs: number): void => {
    const receivedMs = scheduler.nowMs();
    stripes.observe({ sentMs: receivedMs - tookMs, receivedMs, remoteMs: 0, wasLate: false });
  };
  for (let second = 0; second < 10; second++) {
    scheduler.advance(1000);
    answer(ROUND_TRIP_MS);
  }
  const nowMs = scheduler.nowMs.bind(scheduler);
  // A busy page runs no timers meanwhile.
  if (isBusy) vi.spyOn(scheduler, "nowMs").mockImplementation(() => nowMs() + lateMs);
  else scheduler.advance(lateMs);
  answer(ROUND_TRIP_MS + lateMs);
  scheduler.advance(5000);
  stripes.end();
  return ping.mock.calls.length;
}

test("an answer that waited behind a lost segment is a reason to measure more often", () => {
  expect(pingsAfter(150, false)).toBeGreaterThan(30);
});

test("an answer that waited until this side was no longer busy is none", () => {
  expect(pingsAfter(150, true)).toBe(0);
});
