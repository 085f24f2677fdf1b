import { describe, expect, test } from "vitest";
import { cases } from "../src/attack/cases.js";
import { outcomeOf, type Observation } from "../src/attack/verdict.js";

const TIMES = { beganAtMs: 10_000, endedAtMs: 12_000 };
/** CPU so many ms a second, and much before and after the attack. */
const samplesOf = (msPerSecond: number): { readonly atMs: number; readonly cpuMs: number }[] => [
  { atMs: 9000, cpuMs: 0 },
  { atMs: 10_000, cpuMs: 5000 },
  { atMs: 11_000, cpuMs: 5000 + msPerSecond },
  { atMs: 12_000, cpuMs: 5000 + 2 * msPerSecond },
  { atMs: 13_000, cpuMs: 9000 },
];
const usage = { seconds: 4, serverCpuMs: 500, honestCpuMs: 900 };

/** A case in which no honest player noticed anything, with changes. */
function seen(name: string, changes: Partial<Observation> = {}): Observation {
  return {
    attack: cases.find((each) => each.name === name)!,
    isQuick: true,
    seconds: 2,
    calmP99Ms: 5,
    // 40 and 100 ms of CPU a second.
    calmUsage: { seconds: 10, serverCpuMs: 400, honestCpuMs: 1000 },
    honest: {
      ...{ sent: 10, received: 10, lost: 0, twice: 0, latenciesMs: [4, 5], joins: 1, joinMsMax: 5 },
      ...{ faults: [], consoleLines: 0, seconds: 4, cpuMs: 900, frames: [], usage },
      cpuSamples: samplesOf(450),
    },
    serverSamples: samplesOf(170),
    report: { sent: {}, ...TIMES, sentBytes: 20_000, routedBytes: 50_000, closes: {}, failures: [] },
    page: undefined,
    serverExit: undefined,
    rssMb: 80,
    counters: [new Map(), new Map()],
    holdings: [undefined, undefined],
    ...changes,
  };
}

describe("the verdict on an attack", () => {
  test("names the server's CPU beyond its rest, for each kB that attackers sent", () => {
    const outcome = outcomeOf(seen("egress"));
    expect(outcome.cpuMsPerSecond).toBeCloseTo(170 - 40);
    expect(outcome.cpuMsPerKb).toBeCloseTo((2 * (170 - 40)) / 20);
    expect(outcome.failures).toEqual([]);
  });

  test("names that of the honest players for each kB of packets for them, and holds it to its limit", () => {
    const outcome = outcomeOf(seen("still-states"));
    expect(outcome.cpuMsPerKb).toBeCloseTo((2 * (450 - 100)) / 50);
    expect(outcome.failures).toEqual(["the victim spent 350 ms a second (limit 120)"]);
  });

  test("fails if a player with a clean line sees more than 1.3 times the error", () => {
    const { honest } = seen("bad-lines");
    const failuresAt = (errorM: number): readonly string[] => {
      const frames = [8200, 9000, 10_200].map((atMs) => ({ atMs, errorsM: [atMs === 9000 ? 1 : 7] }));
      const during = { atMs: 11_500, errorsM: [errorM] };
      return outcomeOf(seen("bad-lines", { honest: { ...honest, frames: [...frames, during] } })).failures;
    };
    expect(failuresAt(1.25)).toEqual([]);
    expect(failuresAt(1.4)).toHaveLength(1);
    expect(outcomeOf(seen("bad-lines", { honest })).failures).toHaveLength(1);
  });

  test("fails if honest rooms write a line for each bad packet, and not if each visit tells its errors once", () => {
    const { honest } = seen("peers-node");
    const failuresOf = (consoleLines: number): readonly string[] =>
      outcomeOf(seen("peers-node", { honest: { ...honest, joins: 8, consoleLines } })).failures;
    expect(failuresOf(70)).toEqual([]);
    expect(failuresOf(71)).toEqual(["honest clients wrote 71 lines (limit 70)"]);
  });

  test("fails if /health takes longer than a second, on a slow machine three times its latency", () => {
    expect(outcomeOf(seen("small-packets", { healthMs: 900 })).failures).toEqual([]);
    expect(outcomeOf(seen("small-packets", { healthMs: 1100 })).failures).toHaveLength(1);
    expect(outcomeOf(seen("small-packets", { healthMs: 1100, calmP99Ms: 400 })).failures).toEqual([]);
  });
});
