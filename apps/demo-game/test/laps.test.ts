import { describe, expect, test } from "vitest";
import { LapCounter, type LapEvent } from "../src/race/lap-counter.js";
import { Progress } from "../src/race/progress.js";
import { gridSlot } from "../src/track/circuit.js";
import { pacelineRing as circuit } from "../src/track/paceline-ring.js";
import { poseOnTrack } from "../src/track/track.js";

const { track } = circuit;
const STEP_MS = 1000 / 60;

function counterOnGrid(): LapCounter {
  const pose = gridSlot(track, 0);
  return new LapCounter(track, pose.x, pose.y);
}

/** Moves the counter along the track in small steps; returns its events. */
function follow(counter: LapCounter, fromM: number, toM: number, offsetM = 0): LapEvent[] {
  const events: LapEvent[] = [];
  const step = Math.sign(toM - fromM) * 0.5;
  for (let at = fromM; (toM - at) * step > 0; at += step) {
    const pose = poseOnTrack(track, at, offsetM);
    const event = counter.advance(pose.x, pose.y, STEP_MS);
    if (event !== undefined) events.push(event);
  }
  return events;
}

describe("laps", () => {
  test("count once per round, from the grid on, with their time", () => {
    const counter = counterOnGrid();
    const events = follow(counter, -7, 3 * track.lengthM + 5);
    expect(events.map((event) => event.kind === "lap" && event.lap)).toEqual([1, 2, 3]);
    const steps = (track.lengthM + 7) / 0.5;
    expect(events[0]).toMatchObject({ kind: "lap", lap: 1 });
    expect((events[0] as { timeMs: number }).timeMs).toBeCloseTo(steps * STEP_MS, -2);
    expect(counter.progressM).toBeCloseTo(3 * track.lengthM + 5, -1);
  });

  test("do not count when the track is driven backwards", () => {
    const counter = counterOnGrid();
    expect(follow(counter, -7, -2 * track.lengthM)).toEqual([]);
    expect(counter.lapsDone).toBe(0);
    expect(counter.progressM).toBeLessThan(-track.lengthM);
  });

  test("do not count when a car goes back and forth over the line", () => {
    const counter = counterOnGrid();
    for (let round = 0; round < 5; round++) {
      expect(follow(counter, -7, 9)).toEqual([]);
      follow(counter, 9, -7);
    }
    expect(counter.lapsDone).toBe(0);
  });

  test("do not count if the car cut a corner, which is reported at the line", () => {
    const counter = counterOnGrid();
    follow(counter, -7, 330);
    // Across the grass from before the hairpin to after it.
    const events = follow(counter, 560, track.lengthM + 5);
    expect(events).toEqual([{ kind: "missed-gate" }]);
    expect(counter.lapsDone).toBe(0);
    expect(follow(counter, 5, track.lengthM + 5).map((event) => event.kind)).toEqual(["lap"]);
  });

  test("count for a car that drove 24 m off the centre line", () => {
    for (const offsetM of [-24, 24]) {
      const counter = counterOnGrid();
      expect(follow(counter, -7, track.lengthM + 5, offsetM).map((event) => event.kind)).toEqual(["lap"]);
    }
  });

  test("count after a car has turned round and reversed", () => {
    const counter = counterOnGrid();
    follow(counter, -7, 300);
    follow(counter, 300, 250);
    const events = follow(counter, 250, track.lengthM + 5);
    expect(events.map((event) => event.kind)).toEqual(["lap"]);
  });

  test("count for a car that cut a corner and was put back before it", () => {
    const counter = counterOnGrid();
    follow(counter, -7, 300);
    expect(counter.resumeM).toBeCloseTo(300, -1);
    follow(counter, 560, 570);
    const backM = counter.resumeM;
    expect(backM).toBeLessThan(300);
    const pose = poseOnTrack(track, backM);
    counter.moveTo(pose.x, pose.y);
    expect(follow(counter, backM, track.lengthM + 5).map((event) => event.kind)).toEqual(["lap"]);
  });

  test("go on under another driver: the lap begun by the first one counts", () => {
    const first = counterOnGrid();
    follow(first, -7, track.lengthM + 300);
    const pose = poseOnTrack(track, 300);
    const second = new LapCounter(track, pose.x, pose.y);
    second.resume(first.place);
    expect(second.progressM).toBeCloseTo(first.progressM, 0);
    expect(second.lapSteps).toBe(first.lapSteps);
    const events = follow(second, 300, track.lengthM + 5);
    expect(events).toMatchObject([{ kind: "lap", lap: 2 }]);
  });

  test("count for a car that was put back a few metres", () => {
    const counter = counterOnGrid();
    follow(counter, -7, 200);
    const pose = poseOnTrack(track, 190);
    counter.moveTo(pose.x, pose.y);
    expect(follow(counter, 190, track.lengthM + 5).map((event) => event.kind)).toEqual(["lap"]);
  });
});

describe("another car's progress", () => {
  test("follows its shown position over the line", () => {
    const progress = new Progress(track);
    for (let at = -20; at < track.lengthM + 30; at += 3) {
      const pose = poseOnTrack(track, at);
      progress.show(pose.x, pose.y);
    }
    expect(progress.distanceM).toBeCloseTo(track.lengthM + 28, -1);
  });

  test("knows laps that were reported before the car was first shown", () => {
    const progress = new Progress(track);
    progress.reportLaps(2);
    const pose = poseOnTrack(track, 690);
    progress.show(pose.x, pose.y);
    expect(progress.distanceM).toBeCloseTo(2 * track.lengthM + 690, -1);
  });

  test("includes laps reported after the car was first shown, before and after the line", () => {
    const show = (distanceM: number, laps: number): number => {
      const progress = new Progress(track);
      const pose = poseOnTrack(track, distanceM);
      progress.show(pose.x, pose.y);
      progress.reportLaps(laps);
      return Math.round(progress.distanceM / 10) * 10;
    };
    expect(show(400, 2)).toBe(Math.round((2 * track.lengthM + 400) / 10) * 10);
    expect(show(-10, 2)).toBe(Math.round((2 * track.lengthM - 10) / 10) * 10);
  });
});
