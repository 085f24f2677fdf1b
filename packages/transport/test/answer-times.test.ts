import { expect, test } from "vitest";
import { AnswerTimes } from "../src/session/answer-times.js";

/** Takes one answer every 250 ms, from 0 on. */
function answered(...tookMs: readonly number[]): AnswerTimes {
  const times = new AnswerTimes();
  for (const [index, took] of tookMs.entries()) times.take(took, index * 250);
  return times;
}

test("answers: the longest of the recent ones counts, from the third one on", () => {
  expect(answered(40, 900).longestMs(300)).toBeUndefined();
  expect(answered(40, 60, 50).longestMs(500)).toBe(60);
  expect(answered(40, 60, 50, 900).longestMs(750)).toBe(900);
});

test("answers: only the newest sixteen count, of the last ten seconds, and one in 250 ms", () => {
  const times = answered(900, 900, 900, ...Array.from({ length: 16 }, () => 40));
  expect(times.longestMs(4500)).toBe(40);
  for (let nowMs = 4510; nowMs < 4750; nowMs += 10) times.take(900, nowMs);
  expect(times.longestMs(4750)).toBe(40);
  expect(times.longestMs(14_501)).toBeUndefined();
  times.clear();
  expect(times.longestMs(4750)).toBeUndefined();
});
