import { describe, expect, it } from "vitest";
import { distanceM, positionError, type Sample } from "../position-error.js";

const straight = (speedMps: number, samples: number): Sample[] =>
  Array.from({ length: samples }, (_, index) => ({
    atMs: index * 20,
    x: (index * 20 * speedMps) / 1000,
    y: 0,
  }));

describe("the position error", () => {
  it("is nothing for a car that is shown where it is, also between the owner's samples", () => {
    const seen = straight(40, 100).map(({ atMs }) => ({ atMs: atMs + 7, x: ((atMs + 7) * 40) / 1000, y: 0 }));
    const error = positionError(straight(40, 100), seen);
    expect(error.maxM).toBeCloseTo(0, 9);
    expect(error.count).toBe(99);
  });

  it("is the distance that a late car lags behind", () => {
    const seen = straight(40, 100).map(({ atMs, x, y }) => ({ atMs: atMs + 100, x, y }));
    expect(positionError(straight(40, 200), seen).p95M).toBeCloseTo(4, 9);
  });

  it("tells the few bad moments from the rest", () => {
    const seen = straight(40, 100).map((sample, index) => (index === 50 ? { ...sample, y: 9 } : sample));
    const error = positionError(straight(40, 100), seen);
    expect(error.p95M).toBeCloseTo(0, 9);
    expect(error.maxM).toBeCloseTo(9, 9);
  });

  it("leaves out what it cannot know: before, after, and holes of the owner's record", () => {
    const own = straight(40, 100).filter(({ atMs }) => atMs < 500 || atMs > 900);
    const seen = [-5, 100, 700, 1000, 5000].map((atMs) => ({ atMs, x: 0, y: 0 }));
    expect(positionError(own, seen)).toMatchObject({ count: 2, disturbed: 3 });
  });

  it("leaves out what a page showed just after it had stood still, and counts it", () => {
    const own = straight(40, 200);
    const stalled = own.filter(({ atMs }) => atMs < 1000 || atMs > 1500).map(({ atMs }) => ({ atMs }));
    const seen = own.map((sample) => ({ ...sample, y: sample.atMs > 1500 && sample.atMs < 2400 ? 5 : 0 }));
    expect(positionError(own, seen).maxM).toBe(5);
    const error = positionError(own, seen, [own, stalled]);
    expect(error.maxM).toBe(0);
    expect(error.disturbed).toBeGreaterThan(50);
    expect(error.count + error.disturbed).toBe(seen.length);
  });

  it("knows how far a car went", () => expect(distanceM(straight(50, 101))).toBeCloseTo(100, 9));
});
