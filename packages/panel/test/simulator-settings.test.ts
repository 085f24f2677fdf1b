import { linePresets, lossRatio, networkSettings } from "@paceline/transport/simulated";
import { describe, expect, test } from "vitest";
import { fieldsOf, settingsOf, type SimulatorFields } from "../src/simulator-settings.js";

const fields: SimulatorFields = {
  delayMs: 100,
  jitterMs: 10,
  lossPercent: 4,
  burst: 5,
  reorderPercent: 1,
  duplicatePercent: 0.5,
  rateKbps: 512,
};

describe("the simulator's fields", () => {
  test("are unchanged after a round trip", () => {
    expect(fieldsOf(networkSettings(settingsOf(fields)))).toEqual(fields);
    const off = { ...fields, lossPercent: 0, burst: 1, rateKbps: 0 };
    expect(fieldsOf(networkSettings(settingsOf(off)))).toEqual(off);
  });

  test("loss in bursts has the set ratio in the long run", () => {
    expect(lossRatio(networkSettings(settingsOf(fields)).loss)).toBeCloseTo(0.04);
    expect(settingsOf({ ...fields, lossPercent: 100 }).loss).toEqual({ kind: "uniform", ratio: 1 });
  });

  test.each(linePresets.map(({ name, settings }) => [name, settings] as const))(
    "%s is nearly unchanged after a round trip",
    (_name, settings) => {
      const again = networkSettings(settingsOf(fieldsOf(settings)));
      expect(again.delayMs).toBe(settings.delayMs);
      expect(lossRatio(again.loss)).toBeCloseTo(lossRatio(settings.loss), 2);
      expect(again.rateBps).toBe(settings.rateBps);
    },
  );
});
