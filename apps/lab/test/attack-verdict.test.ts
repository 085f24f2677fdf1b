import { describe, expect, test } from "vitest";
import { cases } from "../src/attack/cases.js";
import type { CpuSample } from "../src/attack/messages.js";
import { outcomeOf, type Observation } from "../src/attack/verdict.js";

const TIMES = { beganAtMs: 10_000, endedAtMs: 12_000 };
/** CPU so many ms a second, and much before and after the attack. */
const samplesOf = (msPerSecond: number, waitedShare = 0): CpuSample[] =>
  [
    { atMs: 9000, cpuMs: 0 },
    { atMs: 10_000, cpuMs: 5000 },
    { atMs: 11_000, cpuMs: 5000 + msPerSecond },
    { atMs: 12_000, cpuMs: 5000 + 2 * msPerSecond },
    { atMs: 13_000, cpuMs: 9000 },
  ].map((sample) => ({ ...sample, ranMs: sample.cpuMs, waitedMs: waitedShare * sample.cpuMs }));
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
      ...{ faults: [], consoleLines: 0, seconds: 4, cpuMs: 900, stateCounts: [], usage },
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
    expect(outcome.failures).toEqual(["the victim spent 350 ms a second (limit 300)"]);
    // A machine that is half as fast.
    const calmUsage = { seconds: 10, serverCpuMs: 800, honestCpuMs: 2000 };
    expect(outcomeOf(seen("still-states", { calmUsage })).failures).toEqual([]);
  });

  test("fails if a player with a clean line gets less than half of its states for each tick", () => {
    const { honest } = seen("bad-lines");
    /** 20 states a tick before the attack, on a machine that makes 60 and then 30 ticks a second. */
    const failuresAt = (statesPerTick: number): readonly string[] => {
      const stateCounts = [
        { atMs: 8600, tick: 100, states: 1000 },
        { atMs: 9600, tick: 160, states: 2200 },
        { atMs: 10_200, tick: 200, states: 2300 },
        { atMs: 10_600, tick: 210, states: 3000 },
        { atMs: 11_600, tick: 240, states: 3000 + 30 * statesPerTick },
      ];
      return outcomeOf(seen("bad-lines", { honest: { ...honest, stateCounts } })).failures;
    };
    expect(failuresAt(11)).toEqual([]);
    expect(failuresAt(9)).toEqual(["a player with a clean line gets 0.45 of its usual states (limit 0.5)"]);
    expect(outcomeOf(seen("bad-lines", { honest })).failures).toHaveLength(1);
  });

  test("fails if honest rooms write a line for each bad packet, and not if each visit tells its errors once", () => {
    const { honest } = seen("peers-node");
    const failuresOf = (consoleLines: number): readonly string[] =>
      outcomeOf(seen("peers-node", { honest: { ...honest, joins: 8, consoleLines } })).failures;
    expect(failuresOf(70)).toEqual([]);
    expect(failuresOf(71)).toEqual(["honest clients wrote 71 lines (limit 70)"]);
  });

  test("allows late messages only as far as the server and honest players had to wait for a CPU", () => {
    const { honest } = seen("egress");
    const late = { ...honest, latenciesMs: [200] };
    const isSlow = (changes: Partial<Observation>): boolean =>
      outcomeOf(seen("egress", { honest: late, ...changes })).failures.length > 0;
    expect(isSlow({})).toBe(true);
    expect(isSlow({ serverSamples: samplesOf(170, 0.9) })).toBe(true);
    expect(isSlow({ serverSamples: samplesOf(170, 1.1) })).toBe(false);
    expect(isSlow({ honest: { ...late, cpuSamples: samplesOf(450, 1.1) } })).toBe(false);
    const standstill = { ...late, latenciesMs: [600] };
    expect(isSlow({ honest: standstill, serverSamples: samplesOf(170, 1000) })).toBe(true);
  });

  test("fails if /health takes longer than a second, on a slow machine three times its latency", () => {
    expect(outcomeOf(seen("small-packets", { healthMs: 900 })).failures).toEqual([]);
    expect(outcomeOf(seen("small-packets", { healthMs: 1100 })).failures).toHaveLength(1);
    expect(outcomeOf(seen("small-packets", { healthMs: 1100, calmP99Ms: 400 })).failures).toEqual([]);
  });
});
