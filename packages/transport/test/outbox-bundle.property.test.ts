import { VirtualScheduler } from "@paceline/testkit";
import { array, assert, constantFrom, integer, property, record } from "fast-check";
import { expect, test } from "vitest";
import { Bundle } from "../src/session/outbox/bundle.js";

/** Bytes that fill a packet, which then leaves without waiting. */
const FULL_BYTES = 1024;

interface Added {
  readonly atMs: number;
  readonly bytes: number;
}

interface Sent {
  readonly atMs: number;
  readonly messages: readonly Added[];
}

const bytesOf = (messages: readonly Added[]): number => messages.reduce((sum, { bytes }) => sum + bytes, 0);

/** Adds messages after these pauses, and waits until all have left. */
function played(steps: readonly { readonly pauseMs: number; readonly bytes: number }[], periodMs: number) {
  const scheduler = new VirtualScheduler();
  const sent: Sent[] = [];
  let waiting: Added[] = [];
  const bundle = new Bundle(scheduler, () => {
    sent.push({ atMs: scheduler.nowMs(), messages: waiting });
    waiting = [];
  });
  for (const { pauseMs, bytes } of steps) {
    scheduler.advance(pauseMs);
    waiting.push({ atMs: scheduler.nowMs(), bytes });
    bundle.add(bytes, periodMs);
    expect(bundle.isWaiting).toBe(waiting.length > 0);
  }
  scheduler.advance(periodMs);
  return { sent, left: waiting };
}

const steps = array(record({ pauseMs: integer({ min: 0, max: 40 }), bytes: integer({ min: 1, max: 600 }) }), {
  minLength: 1,
  maxLength: 60,
});
const periods = constantFrom(0, 1, 20, 50, 100);

test("a bundle leaves at the end of its period or when it fills a packet, whichever is sooner", () => {
  assert(
    property(steps, periods, (given, periodMs) => {
      const { sent, left } = played(given, periodMs);
      expect(left).toEqual([]);
      expect(sent.flatMap(({ messages }) => messages)).toHaveLength(given.length);
      for (const [index, { atMs, messages }] of sent.entries()) {
        const isFull = bytesOf(messages) >= FULL_BYTES;
        const sinceMs = atMs - (sent[index - 1]?.atMs ?? Number.NEGATIVE_INFINITY);
        expect(isFull || sinceMs >= periodMs).toBe(true);
        // Before the last message, the bundle was not full.
        expect(bytesOf(messages.slice(0, -1))).toBeLessThan(FULL_BYTES);
        for (const added of messages) expect(atMs - added.atMs).toBeLessThanOrEqual(periodMs);
        // A message after the end of the period leaves at once.
        const [first] = messages;
        const isOverdue = first!.atMs - (sent[index - 1]?.atMs ?? Number.NEGATIVE_INFINITY) >= periodMs;
        expect(!isOverdue || (atMs === first!.atMs && messages.length === 1)).toBe(true);
      }
    }),
  );
});

test("a stopped bundle sends nothing by itself", () => {
  const scheduler = new VirtualScheduler();
  let sends = 0;
  const bundle = new Bundle(scheduler, () => void (sends += 1));
  bundle.add(10, 50);
  bundle.add(10, 50);
  bundle.stop();
  scheduler.advance(200);
  expect([sends, bundle.isWaiting]).toEqual([1, false]);
});
