import { VirtualScheduler } from "@paceline/testkit";
import { afterEach, expect, test, vi } from "vitest";
import { VirtualRegistry } from "./virtual-registry.js";

afterEach(() => void vi.restoreAllMocks());

test("one timer serves all steady sessions, the memory's inspection and the stripes' tickets", () => {
  const every = vi.spyOn(VirtualScheduler.prototype, "every");
  const virtual = new VirtualRegistry();
  for (const joinsAfterMs of [0, 110, 330]) {
    virtual.scheduler.advance(joinsAfterMs);
    virtual.join();
  }
  virtual.scheduler.advance(10_000);
  expect(every.mock.calls.filter(([periodMs]) => periodMs === 250)).toHaveLength(1);
});
