import { DropCounters } from "@paceline/transport";
import { afterEach, expect, it, vi } from "vitest";
import { VirtualRegistry } from "./virtual-registry.js";

afterEach(() => vi.restoreAllMocks());

it("drops are summed up without a walk over all sessions", () => {
  const many = new VirtualRegistry();
  for (let count = 0; count < 300; count++) {
    const { player } = many.join();
    if (count < 3) player.tell({ type: "signal", to: 99, attempt: 0, data: {} });
  }
  many.scheduler.advance(100);
  const reads = (["of", "toRecord"] as const).map((name) => vi.spyOn(DropCounters.prototype, name));
  expect(many.registry.drops.toRecord()).toEqual({ "not-routable": 3 });
  expect(reads.reduce((sum, { mock }) => sum + mock.calls.length, 0)).toBe(1);
});
