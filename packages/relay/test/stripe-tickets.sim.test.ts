import { VirtualScheduler } from "@paceline/testkit";
import type { Scheduler } from "@paceline/transport";
import { expect, test } from "vitest";
import { StripeTickets } from "../src/admission/stripe-tickets.js";
import { OwnPauses } from "../src/ops/own-pauses.js";

test("a server that is late gives no tickets for sockets, and gives them again five seconds later", () => {
  const base = new VirtualScheduler();
  let lateMs = 0;
  const scheduler: Scheduler = {
    nowMs: () => base.nowMs() + lateMs,
    after: base.after.bind(base),
    every: base.every.bind(base),
  };
  const pauses = new OwnPauses(scheduler);
  const tickets = new StripeTickets<string>(scheduler, pauses);
  const block = (ms: number): void => {
    lateMs += ms;
    base.advance(300);
  };
  block(20);
  expect(tickets.issue("a little late")).toBeDefined();
  block(30);
  expect(tickets.issue("late")).toBeUndefined();
  base.advance(4000);
  expect(tickets.issue("still")).toBeUndefined();
  base.advance(1000);
  expect(tickets.issue("calm")).toBeDefined();
  pauses.stop();
});
