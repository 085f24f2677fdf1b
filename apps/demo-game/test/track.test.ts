import { describe, expect, test } from "vitest";
import { gridSlot } from "../src/track/circuit.js";
import { circuitAt, circuitOf, circuits } from "../src/track/circuits.js";
import "../src/track/salt-flats.js";
import { buildRacingLine } from "../src/track/racing-line.js";
import { buildScenery } from "../src/track/scenery.js";
import { surfaceAt } from "../src/track/surface.js";
import { distanceDelta, poseOnTrack, projectOnTrack, wrapDistance } from "../src/track/track.js";

const [ring, flats] = circuits as [(typeof circuits)[0], (typeof circuits)[0]];

/** Radii of the centre line, m. */
function radiiOf({ curvature }: (typeof ring)["track"]): number[] {
  return [...curvature].map((bend) => 1 / Math.max(1e-9, Math.abs(bend)));
}

test("races alternate between two circuits, and a position tells the circuit", () => {
  expect([1, 2, 3, 4].map((race) => circuitOf(race).name)).toEqual(
    [ring, flats, ring, flats].map((c) => c.name),
  );
  for (const circuit of circuits) {
    for (let at = 0; at < circuit.track.lengthM; at += 5) {
      for (const offsetM of [-60, 0, 60]) {
        expect(circuitAt(poseOnTrack(circuit.track, at, offsetM))).toBe(circuit);
      }
    }
  }
  expect(Math.min(...radiiOf(ring.track))).toBeLessThan(18);
  expect(Math.min(...radiiOf(flats.track))).toBeGreaterThan(40);
  expect(flats.track.lengthM).toBeGreaterThan(1.3 * ring.track.lengthM);
});

describe.each(circuits)("the track of $name", (circuit) => {
  const { track, roadside } = circuit;

  test("is a closed lap of 700 to 1500 m inside the range of the car's position", () => {
    expect(track.lengthM).toBeGreaterThan(700);
    expect(track.lengthM).toBeLessThan(1500);
    expect(Math.max(...track.x.map(Math.abs), ...track.y.map(Math.abs))).toBeLessThan(2048);
  });

  test("has sweepers and a straight, and no bend tighter than the road is wide", () => {
    const radii = radiiOf(track);
    radii.forEach((radius, i) => expect(radius).toBeGreaterThan(track.halfWidthM[i] as number));
    expect(radii.filter((radius) => radius > 400).length * track.spacingM).toBeGreaterThan(200);
    expect(radii.filter((radius) => radius > 40 && radius < 90).length * track.spacingM).toBeGreaterThan(100);
  });

  test("has no parts of the road that touch each other", () => {
    for (let i = 0; i < track.count; i += 3) {
      for (let j = 0; j < track.count; j += 3) {
        if (Math.abs(distanceDelta(track, i * track.spacingM, j * track.spacingM)) < 60) continue;
        const apart = Math.hypot(
          (track.x[i] as number) - (track.x[j] as number),
          (track.y[i] as number) - (track.y[j] as number),
        );
        expect(apart).toBeGreaterThan((track.halfWidthM[i] as number) + (track.halfWidthM[j] as number) + 8);
      }
    }
  });

  test("projects points of the road back to their distance and offset", () => {
    for (let distanceM = 0; distanceM < track.lengthM; distanceM += 7.3) {
      for (const offsetM of [-5, 0, 5]) {
        const pose = poseOnTrack(track, distanceM, offsetM);
        const at = projectOnTrack(track, pose.x, pose.y);
        expect(Math.abs(distanceDelta(track, distanceM, at.distanceM))).toBeLessThan(0.8);
        expect(at.offsetM).toBeCloseTo(offsetM, 0);
      }
    }
  });

  test("wraps distances both ways", () => {
    expect(wrapDistance(track, -1)).toBeCloseTo(track.lengthM - 1, 9);
    expect(distanceDelta(track, 10, track.lengthM - 10)).toBeCloseTo(-20, 9);
    expect(distanceDelta(track, track.lengthM - 10, 10)).toBeCloseTo(20, 9);
  });

  test("has road, kerb, gravel and grass across a bend", () => {
    const { fromM, toM, side } = circuit.gravelBeds[1]!;
    const at = (offsetM: number): string => {
      const pose = poseOnTrack(track, (fromM + toM) / 2, side * offsetM);
      return surfaceAt(track, roadside, pose.x, pose.y);
    };
    expect(at(0)).toBe("road");
    expect(at(11)).toBe("grass");
    expect(at(18)).toBe("gravel");
    expect(at(-9)).toBe("kerb");
  });

  test("has grid slots on the road, behind the line, in driving direction", () => {
    for (let slot = 0; slot < 16; slot++) {
      const pose = gridSlot(track, slot);
      const at = projectOnTrack(track, pose.x, pose.y);
      expect(surfaceAt(track, roadside, pose.x, pose.y)).toBe("road");
      expect(at.distanceM).toBeGreaterThan(track.lengthM / 2);
      expect(Math.cos(at.headingRad - pose.headingRad)).toBeGreaterThan(0.99);
    }
  });

  test("has a racing line on the road that bends less than the centre line", () => {
    const line = buildRacingLine(track);
    line.offsetM.forEach((offsetM, i) =>
      expect(Math.abs(offsetM)).toBeLessThan(track.halfWidthM[i] as number),
    );
    const sharpest = (values: Float64Array): number => Math.max(...values.map(Math.abs));
    expect(sharpest(line.curvature)).toBeLessThan(sharpest(track.curvature) * 0.85);
  });

  test("has its trees beyond the walls", () => {
    const steps = buildScenery(circuit);
    let step = steps.next();
    while (step.done !== true) step = steps.next();
    const scenery = step.value;
    expect(scenery.trees.length).toBeGreaterThan(200);
    for (const tree of scenery.trees) {
      const at = projectOnTrack(track, tree.x, tree.y);
      expect(Math.abs(at.offsetM) - tree.radiusM).toBeGreaterThan(circuit.wallDistanceM);
    }
  });
});
