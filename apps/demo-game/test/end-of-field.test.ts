import { expect, test } from "vitest";
import { carAt } from "../src/car/car-state.js";
import { STEP_MS } from "../src/car/step-car.js";
import { endOfField } from "../src/race/end-of-field.js";
import { Racer } from "../src/race/racer.js";
import { Progress } from "../src/race/progress.js";
import { pacelineRing as circuit } from "../src/track/paceline-ring.js";
import { poseOnTrack } from "../src/track/track.js";

const { track } = circuit;

test.each([0.3, 0.75, 1.02, 1.6, 2.9])(
  "a newcomer starts behind a last car that has driven %s laps",
  (laps) => {
    const lastM = laps * track.lengthM;
    const start = endOfField(track, lastM, 40_000 * laps)!;
    const racer = new Racer(circuit, 5);
    racer.takeOver(
      { ...carAt(start.pose), velocityX: start.velocityX, velocityY: start.velocityY },
      start.place,
    );
    expect(lastM - racer.laps.progressM).toBeGreaterThan(10);
    expect(lastM - racer.laps.progressM).toBeLessThan(25);
    // The newcomer neither gains nor loses time: its time is that of the race.
    expect(start.totalMs + start.place.lapSteps * STEP_MS).toBeCloseTo(40_000 * laps, 6);
    // The lap that the newcomer begins in counts at the line.
    let lap: number | undefined;
    for (let m = racer.laps.at.distanceM; lap === undefined && m < 2 * track.lengthM; m += 3) {
      const { x, y } = poseOnTrack(track, m);
      const event = racer.laps.advance(x, y, STEP_MS);
      if (event) lap = event.kind === "lap" ? event.lap : -1;
    }
    expect(lap).toBe(start.place.lapsDone + 1);
  },
);

test("a newcomer to a race that has just begun starts from the grid", () => {
  expect(endOfField(track, 40, 4000)).toBeUndefined();
  expect(endOfField(track, -20, 100)).toBeUndefined();
});

test("a car put three quarters of a lap ahead does not count as one that drove backwards", () => {
  const progress = new Progress(track);
  const grid = poseOnTrack(track, -30);
  progress.show(grid.x, grid.y);
  const ahead = poseOnTrack(track, 0.75 * track.lengthM);
  progress.show(ahead.x, ahead.y);
  expect(progress.distanceM).toBeCloseTo(0.75 * track.lengthM, 0);
});
