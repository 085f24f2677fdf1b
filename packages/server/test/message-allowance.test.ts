import { expect, test } from "vitest";
import { checkedMessageLimits } from "../src/players/message-allowance.js";

test.each([
  [{ perSecond: 0 }, "messageLimits.perSecond"],
  [{ burst: Number.NaN }, "messageLimits.burst"],
  [{ types: { horn: 200_000 } }, "messageLimits.types.horn"],
  [{ persecond: 5 }, "messageLimits.persecond"],
])("a room's limits of messages are refused by name: %o", (given, name) => {
  expect(() => checkedMessageLimits(given as object)).toThrow(name);
});

test("limits that a room leaves out have their defaults", () => {
  expect(checkedMessageLimits({ burst: 5 })).toEqual({ perSecond: 100, burst: 5, types: {} });
});
