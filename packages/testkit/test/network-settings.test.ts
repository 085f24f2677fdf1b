import { expect, test } from "vitest";
import { linePresets, networkSettings, type NetworkSettings, PERFECT_NETWORK } from "../src/index.js";

test("settings that are not given are those of a perfect path, and the result cannot be changed", () => {
  const settings = networkSettings({ delayMs: 5, loss: { kind: "uniform", ratio: 0.1 } });
  expect(settings).toEqual({ ...PERFECT_NETWORK, delayMs: 5, loss: { kind: "uniform", ratio: 0.1 } });
  expect(Object.isFrozen(settings)).toBe(true);
  expect(Object.isFrozen(settings.loss)).toBe(true);
});

const burst = {
  kind: "gilbert-elliott",
  pGoodToBad: 0.1,
  pBadToGood: 0.1,
  lossInGood: 0,
  lossInBad: 1,
} as const;

test.each<[string, Partial<NetworkSettings>]>([
  ["delayMs", { delayMs: -1 }],
  ["delayMs", { delayMs: Infinity }],
  ["delayMs", JSON.parse('{"delayMs":"5"}') as Partial<NetworkSettings>],
  ["jitterMs", { jitterMs: Number.NaN }],
  ["reorderHoldMs", { reorderHoldMs: -0.1 }],
  ["duplicateRatio", { duplicateRatio: 1.1 }],
  ["reorderRatio", { reorderRatio: -0.1 }],
  ["rateBps", { rateBps: 0 }],
  ["queueBytes", { queueBytes: 0 }],
  ["mtuBytes", { mtuBytes: -1 }],
  ["loss.ratio", { loss: { kind: "uniform", ratio: 5 } }],
  ["loss.pGoodToBad", { loss: { ...burst, pGoodToBad: 2 } }],
  ["loss.pBadToGood", { loss: { ...burst, pBadToGood: -1 } }],
  ["loss.lossInGood", { loss: { ...burst, lossInGood: Number.NaN } }],
  ["loss.lossInBad", { loss: { ...burst, lossInBad: 1.5 } }],
  ["loss.kind", JSON.parse('{"loss":{"kind":"often"}}') as Partial<NetworkSettings>],
  ["settings", JSON.parse('{"delay":5}') as Partial<NetworkSettings>],
])("a wrong %s is refused by name, with the range", (field, changes) => {
  expect(() => networkSettings(changes)).toThrow(expect.objectContaining({ name: "ConfigError", field }));
});

test("the message names field, range, unit and value", () => {
  expect(() => networkSettings({ delayMs: -1 })).toThrow(
    "delayMs: expected a finite number of ms, 0 or more, got -1",
  );
});

test.each(linePresets)("the line $name is valid as it stands", ({ settings }) => {
  expect(networkSettings(settings)).toEqual(settings);
});
