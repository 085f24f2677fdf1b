import { expect, test } from "vitest";
import { Show, type LaneName } from "../src/show/show.js";
import { pacelineRing as circuit } from "../src/track/paceline-ring.js";

const LANES: readonly LaneName[] = ["raw", "interpolated", "paceline"];

/** Runs until no figure is of an earlier line, then on; returns the means of that time. */
function play(show: Show, seconds = 12): Record<LaneName, { errorM: number; bytes: number }> {
  show.advance(4000);
  const sums = {
    raw: { errorM: 0, bytes: 0 },
    interpolated: { errorM: 0, bytes: 0 },
    paceline: { errorM: 0, bytes: 0 },
  };
  for (let second = 0; second < seconds; second++) {
    show.advance(1000);
    for (const name of LANES) {
      const { errorM, bytesPerSecond } = show.figures(name);
      sums[name].errorM += errorM / seconds;
      sums[name].bytes += bytesPerSecond / seconds;
    }
  }
  return sums;
}

test("Paceline shows the rival with less error and fewer bytes", () => {
  const show = new Show(circuit);
  const { raw, interpolated, paceline } = play(show);
  // 20 states a second: 7 bytes, and 4 of header.
  expect(raw.bytes).toBeCloseTo(220, -1);
  expect(interpolated.bytes).toBeCloseTo(220, -1);
  expect(paceline.bytes).toBeLessThan(raw.bytes);
  expect(paceline.errorM).toBeLessThan(raw.errorM / 5);
  expect(raw.errorM).toBeLessThan(interpolated.errorM);
  // At about 25 m/s: 50 ms of delay and up to 50 ms until the next state, then 100 ms more.
  expect(raw.errorM).toBeGreaterThan(1);
  expect(interpolated.errorM).toBeGreaterThan(3);
});

test("limited to Paceline's bytes, the other lanes stay within them, and raw states get worse", () => {
  const show = new Show(circuit);
  const before = play(show);
  show.isSameBytes = true;
  const { raw, interpolated, paceline } = play(show);
  for (const other of [raw, interpolated]) {
    expect(other.bytes).toBeLessThanOrEqual(paceline.bytes * 1.1);
    expect(other.bytes).toBeGreaterThan(paceline.bytes * 0.7);
  }
  expect(raw.errorM).toBeGreaterThan(before.raw.errorM);
});

test("a longer line with more loss makes every lane worse, and Paceline stays best", () => {
  const show = new Show(circuit);
  const before = play(show);
  show.line = { delayMs: 120, jitterMs: 20, lossRatio: 0.1 };
  const after = play(show);
  for (const name of LANES) expect(after[name].errorM).toBeGreaterThan(before[name].errorM);
  expect(after.paceline.errorM).toBeLessThan(after.raw.errorM / 3);
});
