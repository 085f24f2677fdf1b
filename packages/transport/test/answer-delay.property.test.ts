import { array, assert, double, integer, property, record } from "fast-check";
import { expect, test } from "vitest";
import { AnswerDelay } from "../src/session/outbox/answer-delay.js";

const PERIOD_MS = 1000;
const queueMs = integer({ min: 0, max: 2000 });

test("the wait of answers is that of the queue on the path back, whatever queue the path there has", () => {
  const queues = array(record({ thereMs: queueMs, backMs: queueMs }), { minLength: 1, maxLength: 60 });
  const clockMs = double({ min: -1e9, max: 1e9, noNaN: true });
  assert(
    property(queues, clockMs, (all, offsetMs) => {
      const delay = new AnswerDelay();
      let nowMs = 0;
      // The first round trip meets no queue.
      for (const { thereMs, backMs } of [{ thereMs: 0, backMs: 0 }, ...all]) {
        nowMs += PERIOD_MS;
        const sentMs = nowMs - 60 - thereMs - backMs;
        delay.take({ sentMs, remoteMs: sentMs + 30 + thereMs + offsetMs, receivedMs: nowMs, wasLate: false });
        // The least times grow by 0.2 ms a second.
        expect(Math.abs(delay.waitMs - backMs)).toBeLessThan(0.2 * all.length + 0.3);
      }
    }),
  );
});

test.each([0.9999, 1, 1.0001])("a clock that runs at %d of this side's speed shows no queue", (speed) => {
  const delay = new AnswerDelay();
  for (let nowMs = 0; nowMs < 3_600_000; nowMs += PERIOD_MS) {
    delay.take({ sentMs: nowMs - 60, remoteMs: (nowMs - 30) * speed, receivedMs: nowMs, wasLate: false });
    expect(delay.waitMs).toBeLessThan(1);
  }
});

test("a false clock moves at most the delay of the round trip to the path back", () => {
  const lies = array(record({ rttMs: queueMs, remoteMs: double({ min: -1e12, max: 1e12, noNaN: true }) }));
  assert(
    property(lies, (all) => {
      const delay = new AnswerDelay();
      let [nowMs, leastMs] = [0, Infinity];
      for (const { rttMs, remoteMs } of all) {
        nowMs += PERIOD_MS;
        leastMs = Math.min(leastMs, rttMs);
        delay.take({ sentMs: nowMs - rttMs, remoteMs, receivedMs: nowMs, wasLate: false });
        expect(delay.waitMs).toBeGreaterThanOrEqual(0);
        expect(delay.waitMs).toBeLessThanOrEqual(rttMs - leastMs);
      }
    }),
  );
});
