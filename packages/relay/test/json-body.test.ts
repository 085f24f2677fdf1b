import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { setImmediate as nextTurn } from "node:timers/promises";
import { VirtualScheduler } from "@paceline/testkit";
import { expect, test } from "vitest";
import { readJsonBody } from "../src/matchmaking/json-body.js";

const DEADLINE_MS = 5000;

function reading() {
  const scheduler = new VirtualScheduler();
  const body = new PassThrough();
  const overdue: (() => void)[] = [];
  let isStanding = false;
  const after = (delayMs: number, fn: () => void): (() => void) =>
    scheduler.after(delayMs, () => (isStanding ? void overdue.push(fn) : fn()));
  const pause = (ms: number): void => {
    isStanding = true;
    scheduler.advance(ms);
    isStanding = false;
    for (const run of overdue.splice(0)) run();
  };
  const loop = { nowMs: () => scheduler.nowMs(), after, every: () => () => undefined };
  const request = Object.assign(body, { headers: {} }) as unknown as IncomingMessage;
  const answer = readJsonBody(request, { maxBytes: 100, deadlineMs: DEADLINE_MS, scheduler: loop });
  return { scheduler, body, answer, pause };
}

test("a body that does not arrive within the deadline is refused", async () => {
  const { scheduler, answer } = reading();
  scheduler.advance(DEADLINE_MS);
  expect(await answer).toMatchObject({ status: 408 });
});

test("a body that arrived while this process stood still is read", async () => {
  const { body, answer, pause, scheduler } = reading();
  scheduler.advance(100);
  // Node runs overdue timers before it reads the sockets.
  pause(4 * DEADLINE_MS);
  body.end('{"here":true}');
  await nextTurn();
  expect(await answer).toEqual({ value: { here: true } });
  expect(scheduler.nextAtMs).toBeUndefined();
});
