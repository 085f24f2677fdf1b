import {
  DEFAULT_CONVERGENCE,
  InterpolatedBody,
  InterpolationDelay,
  RenderClock,
  type BodyLayout,
} from "@paceline/netcode";
import type { LabReceiver, LabSystem, LocalTime, Update } from "../system.js";
import { HEADING, TICK_SECONDS, TRUTH_WIDTH } from "../trace.js";
import { FixedRateSender } from "./snapshots.js";

const LAYOUT: BodyLayout = { position: 0, dimensions: 3, velocity: 3, heading: HEADING };

/**
 * Returns Paceline's interpolation: snapshots at a fixed rate, shown with a delay that adapts to the measured
 * arrivals.
 */
export function adaptiveInterpolationSystem(name: string, rateHz: number): LabSystem {
  return {
    name,
    links: ["unreliable", "ordered"],
    sender: () => new FixedRateSender(rateHz),
    receiver: () => new AdaptiveReceiver(),
  };
}

class AdaptiveReceiver implements LabReceiver {
  readonly #body = new InterpolatedBody(
    { layout: LAYOUT, extrapolationLimitMs: 250, convergence: DEFAULT_CONVERGENCE },
    TRUTH_WIDTH,
  );
  readonly #delay = new InterpolationDelay();
  readonly #clock = new RenderClock(this.#delay.delayMs);
  starvedFrames = 0;

  receive({ row, tick, isJump }: Update, { ownerSeconds }: LocalTime): void {
    const seconds = tick * TICK_SECONDS;
    this.#body.receive(row, seconds, isJump);
    this.#delay.observe(seconds * 1000, ownerSeconds * 1000, !isJump);
    this.#clock.setDelay(this.#delay.delayMs);
  }

  show({ ownerSeconds }: LocalTime, into: Float64Array): boolean {
    const kind = this.#body.show(this.#clock.nowMs(ownerSeconds * 1000) / 1000, into);
    if (kind === "extrapolated") this.starvedFrames += 1;
    return kind !== "none";
  }
}
