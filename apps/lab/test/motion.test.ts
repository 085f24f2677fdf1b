import { describe, expect, test } from "vitest";
import { generatedTraces } from "../src/motion/generated-trace.js";
import { measure } from "../src/motion/measure.js";
import { Measures } from "../src/motion/measures.js";
import { networks, wireBytes } from "../src/motion/networks.js";
import { plotSvg } from "../src/motion/plot.js";
import { mainSystems } from "../src/motion/systems/all.js";
import { trackOf, type Sample } from "../src/motion/track-builder.js";
import { presentSeconds, shortened, truthAt, TRUTH_WIDTH } from "../src/motion/trace.js";

const busy = networks.find(({ name }) => name === "50-5-1")!;

function parabola(hz: number, seconds: number): Sample[] {
  return Array.from({ length: hz * seconds }, (_, index): Sample => {
    const t = index / hz;
    return { position: [3 * t * t, 2 * t, 0], velocity: [6 * t, 2, 0], heading: t };
  });
}

describe("traces", () => {
  test("a recording of any rate becomes the same motion on the laboratory's ticks", () => {
    for (const hz of [16, 25, 30, 60]) {
      const [piece] = trackOf([parabola(hz, 4)], hz).pieces;
      const truth = new Float64Array(TRUTH_WIDTH);
      const start = piece!.startTick / 60;
      for (const t of [0, 0.5, 1.23, 3]) {
        truthAt(piece!, start + t, truth);
        expect(truth[0]).toBeCloseTo(3 * t * t, 3);
        expect(truth[3]).toBeCloseTo(6 * t, 6);
        expect(truth[6]).toBeCloseTo(t, 6);
      }
    }
  });

  test("pieces that are too short are left out, and a shortened trace is as long as was asked", () => {
    expect(trackOf([parabola(60, 1), parabola(60, 3)], 60).pieces).toHaveLength(1);
    const [trace] = generatedTraces(60);
    const total = shortened(trace!, 40).tracks.reduce((sum, track) => sum + presentSeconds(track), 0);
    expect(total).toBeCloseTo(40, 0);
  });
});

describe("measures", () => {
  const moved = (x: number): Float64Array => Float64Array.of(x, 0, 0, 0, 0, 0, 0);

  test("a step out of line is a jump, a bend is none, and neither is one that the truth made", () => {
    const count = (shown: (frame: number) => number, truth = (frame: number) => frame * 0.3): number => {
      const measures = new Measures();
      measures.begin();
      for (let frame = 0; frame < 60; frame++) measures.add(moved(shown(frame)), moved(truth(frame)));
      return measures.figures().jumpsPerMinute;
    };
    expect(count((frame) => frame * 0.3)).toBe(0);
    expect(count((frame) => frame * 0.3 + (frame > 30 ? 0.5 : 0))).toBeGreaterThan(0);
    expect(count((frame) => (frame > 30 ? 30 * 0.3 : frame * 0.3))).toBe(0);
    const jumping = (frame: number): number => frame * 0.3 + (frame > 30 ? 5 : 0);
    expect(count((frame) => jumping(frame - 6), jumping)).toBe(0);
  });

  test("errors are those of position and heading, jerk is beside the truth's", () => {
    const measures = new Measures();
    for (let frame = 0; frame < 100; frame++) {
      const truth = Float64Array.of(frame ** 3 / 1e4, 0, 0, 0, 0, 0, 3.1);
      const shown = Float64Array.from(truth);
      shown[1] = 0.2;
      shown[6] = -3.1;
      measures.add(shown, truth);
    }
    const figures = measures.figures();
    expect(figures.positionErrorRmsM).toBeCloseTo(0.2, 9);
    expect(figures.headingErrorP95Deg).toBeCloseTo(((2 * Math.PI - 6.2) * 180) / Math.PI, 6);
    expect(figures.jerkRatioP95).toBeCloseTo(1, 9);
  });
});

describe("bytes", () => {
  test("are those of data channels and sockets", () => {
    expect(wireBytes("unreliable", 20)).toBe(98);
    expect(wireBytes("unreliable", 21)).toBe(102);
    expect(wireBytes("ordered", 20)).toBe(100);
  });
});

describe("a cell", () => {
  const traces = generatedTraces(20);

  test("is the same every time", () => {
    const [system] = mainSystems();
    const once = measure("x", traces, system!, { network: busy, link: "unreliable" });
    expect(measure("x", traces, system!, { network: busy, link: "unreliable" })).toEqual(once);
  });

  test("holds what is promised, on generated traces too", () => {
    const cell = { network: busy, link: "unreliable" } as const;
    const rows = mainSystems()
      .filter(({ links }) => links.includes("unreliable"))
      .map((system) => measure("x", traces, system, cell));
    const row = (name: string) => rows.find(({ system }) => system === name)!;
    const ours = row("paceline");
    const interpolated = row("interpolation-100ms-20hz");
    expect(ours.positionErrorP95M).toBeLessThan(0.05 * interpolated.positionErrorP95M);
    expect(ours.wireBytesPerSecond).toBeLessThan(0.45 * interpolated.wireBytesPerSecond);
    expect(ours.jumpsPerMinute).toBe(0);
    expect(row("extrapolation-20hz").positionErrorRmsM).toBeGreaterThan(0);
  });

  test("is drawn", () => {
    const points = [
      { wireBytesPerSecond: 800, positionErrorP95M: 0.2 },
      { wireBytesPerSecond: 1600, positionErrorP95M: 0.1 },
    ];
    const svg = plotSvg("title", [{ name: "curve", points }]);
    expect(svg).toContain("<svg");
    expect(svg).not.toContain("NaN");
  });
});
