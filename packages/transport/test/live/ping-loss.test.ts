import { expect, test } from "vitest";
import { PingLoss } from "../../src/session/ping-loss.js";

function lossAfter(isLost: (ping: number) => boolean, pings: number): number {
  const loss = new PingLoss();
  for (let ping = 0; ping < pings; ping += 1) {
    loss.pinged(ping, ping * 250);
    if (!isLost(ping)) loss.answered(ping);
  }
  loss.pinged(pings, pings * 250 + 10_000);
  return loss.ratio;
}

test("of few pings nothing is said, and a single loss is none", () => {
  expect(lossAfter(() => true, 9)).toBe(0);
  expect(lossAfter((ping) => ping === 3, 40)).toBe(0);
});

test("every fifth ping lost is a fifth", () => {
  expect(lossAfter((ping) => ping % 5 === 0, 200)).toBeCloseTo(0.2, 1);
});

test("what is past is forgotten", () => {
  expect(lossAfter((ping) => ping < 50, 200)).toBe(0);
});

test("an answer after the ping has counted as lost changes nothing, nor one to no ping", () => {
  const loss = new PingLoss();
  for (let ping = 0; ping < 20; ping += 1) loss.pinged(ping, ping * 3000);
  loss.answered(0);
  loss.answered(999);
  expect(loss.ratio).toBe(1);
});
