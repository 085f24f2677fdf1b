import { systemTurnMs } from "../src/scheduler.js";
import { setTimeout as pause } from "node:timers/promises";
import { expect, test } from "vitest";

test("a turn of the event loop has one time, and the next turn another one", async () => {
  const turnMs = systemTurnMs();
  while (performance.now() < turnMs + 2);
  expect(systemTurnMs()).toBe(turnMs);
  await pause(0);
  expect(systemTurnMs()).toBeGreaterThan(turnMs);
});
