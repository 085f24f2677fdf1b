import { seededRandom, simulatedPair, VirtualScheduler, type SimulatedPair } from "@paceline/testkit";
import { STEP_MS } from "../car/step-car.js";
import type { Circuit } from "../track/circuit.js";
import type { Lane } from "./lane.js";
import { PacelineLane } from "./paceline-lane.js";
import { Truth, type Pose } from "./truth.js";
import { WholeStates } from "./whole-states.js";

/** Settings of each direction of a line; all lanes have the same. */
export interface LineSettings {
  readonly delayMs: number;
  readonly jitterMs: number;
  /** Share of packets, 0 to 1. */
  readonly lossRatio: number;
}

const FIRST_LINE: LineSettings = { delayMs: 50, jitterMs: 8, lossRatio: 0.02 };

/** Figures of a lane over the last {@link FIGURES_MS}. */
export interface LaneFigures {
  /** Mean distance between where the car is and where it is drawn, m; NaN before anything is drawn. */
  readonly errorM: number;
  readonly bytesPerSecond: number;
  readonly packetsPerSecond: number;
}

const FIGURES_MS = 3000;
const LANES = ["raw", "interpolated", "paceline"] as const;
export type LaneName = (typeof LANES)[number];

interface Sample {
  readonly atMs: number;
  readonly errorM: number;
  readonly bytes: number;
  readonly packets: number;
}

interface Running {
  readonly name: LaneName;
  readonly lane: Lane;
  readonly pair: SimulatedPair;
  samples: Sample[];
}

/**
 * Shows the same rival in three ways at once: one true car and three lanes, each over its own simulated line
 * with the same settings. Only {@link advance} moves the virtual time, so a recording is as smooth as a live
 * show.
 */
export class Show {
  readonly truth: Truth;
  readonly #scheduler = new VirtualScheduler();
  readonly #running: readonly Running[];
  readonly #paceline: PacelineLane;
  /**
   * `sentBytes` of each lane when the budget began: from then on, no lane sends more than Paceline.
   * Undefined: no budget.
   */
  #budgetFrom: Readonly<Record<LaneName, number>> | undefined;
  #line: LineSettings = FIRST_LINE;
  #tick = 0;

  constructor(circuit: Circuit, seed = 7) {
    this.truth = new Truth(circuit);
    const random = seededRandom(seed);
    const scheduler = this.#scheduler;
    const pairs = LANES.map(() =>
      simulatedPair({ scheduler, random: random.fork(), settings: this.#settings() }),
    );
    const [raw, interpolated, paceline] = pairs as [SimulatedPair, SimulatedPair, SimulatedPair];
    this.#paceline = new PacelineLane(paceline, scheduler);
    this.#running = [
      { name: "raw", pair: raw, samples: [], lane: new WholeStates(raw, 0, () => this.#allowance("raw")) },
      {
        name: "interpolated",
        pair: interpolated,
        samples: [],
        lane: new WholeStates(interpolated, 100, () => this.#allowance("interpolated")),
      },
      { name: "paceline", pair: paceline, samples: [], lane: this.#paceline },
    ];
  }

  get line(): LineSettings {
    return this.#line;
  }

  set line(line: LineSettings) {
    this.#line = line;
    for (const { pair } of this.#running) pair.change(this.#settings());
  }

  /** True if the other lanes may send no more bytes than Paceline. */
  get isSameBytes(): boolean {
    return this.#budgetFrom !== undefined;
  }

  set isSameBytes(isSame: boolean) {
    const sent = (name: LaneName): number =>
      this.#running.find((running) => running.name === name)!.lane.sentBytes;
    this.#budgetFrom = isSame
      ? { raw: sent("raw"), interpolated: sent("interpolated"), paceline: sent("paceline") }
      : undefined;
  }

  advance(ms: number): void {
    const untilMs = this.#scheduler.nowMs() + ms;
    for (;;) {
      const nextMs = (this.#tick + 1) * STEP_MS;
      if (nextMs > untilMs) break;
      this.#scheduler.runUntil(nextMs);
      this.#tick += 1;
      this.truth.step();
      const pose = this.truth.pose;
      for (const running of this.#running) {
        running.lane.step(pose, { tick: this.#tick, nowMs: nextMs });
        this.#note(running, pose, nextMs);
      }
    }
    this.#scheduler.runUntil(untilMs);
  }

  /** Where the lane draws the car at the last step of {@link truth}. */
  shown(name: LaneName): Pose | undefined {
    const running = this.#running.find((each) => each.name === name)!;
    return running.lane.show(this.#tick * STEP_MS);
  }

  figures(name: LaneName): LaneFigures {
    const { samples } = this.#running.find((running) => running.name === name)!;
    const [first, last] = [samples[0], samples.at(-1)];
    if (!first || !last || last.atMs === first.atMs) {
      return { errorM: Number.NaN, bytesPerSecond: 0, packetsPerSecond: 0 };
    }
    const seconds = (last.atMs - first.atMs) / 1000;
    return {
      errorM: samples.reduce((sum, { errorM }) => sum + errorM, 0) / samples.length,
      bytesPerSecond: (last.bytes - first.bytes) / seconds,
      packetsPerSecond: (last.packets - first.packets) / seconds,
    };
  }

  #note(running: Running, truth: Pose, atMs: number): void {
    const shown = running.lane.show(atMs);
    const errorM = shown ? Math.hypot(shown.x - truth.x, shown.y - truth.y) : Number.NaN;
    const { sentBytes: bytes, sentPackets: packets } = running.lane;
    if (Number.isNaN(errorM)) return;
    running.samples.push({ atMs, errorM, bytes, packets });
    while (running.samples[0] && atMs - running.samples[0].atMs > FIGURES_MS) running.samples.shift();
  }

  #allowance(name: LaneName): number {
    const from = this.#budgetFrom;
    if (!from) return Number.POSITIVE_INFINITY;
    return from[name] + this.#paceline.sentBytes - from.paceline;
  }

  #settings() {
    const { delayMs, jitterMs, lossRatio } = this.#line;
    const loss =
      lossRatio > 0 ? ({ kind: "uniform", ratio: lossRatio } as const) : ({ kind: "none" } as const);
    return { delayMs, jitterMs, loss };
  }
}
