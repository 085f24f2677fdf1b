import { array, assert, boolean, integer, property, record } from "fast-check";
import { expect, test } from "vitest";
import { VirtualScheduler } from "../src/index.js";

const timers = array(record({ delayMs: integer({ min: 0, max: 50 }), isCancelled: boolean() }), {
  maxLength: 200,
});
const steps = array(integer({ min: 0, max: 20 }), { minLength: 1, maxLength: 10 });

test("whatever the timers and the steps, exactly the due ones run, sorted by time and then by creation", () => {
  assert(
    property(timers, steps, (plans, stepsMs) => {
      const scheduler = new VirtualScheduler();
      const ran: number[] = [];
      const cancels = plans.map(({ delayMs }, at) => scheduler.after(delayMs, () => ran.push(at)));
      plans.forEach(({ isCancelled }, at) => {
        if (isCancelled) cancels[at]?.();
      });
      for (const stepMs of stepsMs) scheduler.advance(stepMs);
      const due = plans
        .map((plan, at) => ({ ...plan, at }))
        .filter((plan) => !plan.isCancelled && plan.delayMs <= scheduler.nowMs())
        .sort((a, b) => a.delayMs - b.delayMs || a.at - b.at);
      expect(ran).toEqual(due.map((plan) => plan.at));
    }),
  );
});
