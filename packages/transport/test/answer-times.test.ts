import { expect, test } from "vitest";
import { AnswerTimes } from "../src/session/answer-times.js";

/** Takes one answer every 250 ms, from 0 on. */
function answered(...tookMs: readonly number[]): AnswerTimes {
  const times = new AnswerTimes();
  for (const [index, took] of tookMs.entries()) times.take(took, index * 250);
  return times;
}

test("answers: three of four recent ones came within the usual time", () => {
  expect(answered(40, 900).usualMs(300)).toBeUndefined();
  expect(answered(40, 60, 50).usualMs(500)).toBe(60);
  expect(answered(40, 60, 50, 900).usualMs(750)).toBe(60);
  expect(answered(40, 900, 50, 900).usualMs(750)).toBe(900);
});

test("answers: only the newest eight count, of the last ten seconds, and one in 250 ms", () => {
  const times = answered(900, 900, 900, 40, 40, 40, 40, 40, 40, 40, 40);
  expect(times.usualMs(2500)).toBe(40);
  for (let nowMs = 2510; nowMs < 2750; nowMs += 10) times.take(900, nowMs);
  expect(times.usualMs(2750)).toBe(40);
  expect(times.usualMs(12_500)).toBeUndefined();
  times.clear();
  expect(times.usualMs(2750)).toBeUndefined();
});
