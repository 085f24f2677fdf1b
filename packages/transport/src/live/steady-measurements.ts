import { type HeldBands, measuredBands } from "../profiles/bands.js";
import type { Measured } from "../profiles/circumstances.js";
import { SteadyBand } from "./steady-band.js";

/** Turns what is measured every second into bands that the decision tree can go by without changing its mind all the time. */
export class SteadyMeasurements {
  readonly #loss = new SteadyBand(measuredBands.lossRatio);
  readonly #rtt = new SteadyBand(measuredBands.rttMs);
  readonly #jitter = new SteadyBand(measuredBands.jitterMs);
  readonly #queue = new SteadyBand(measuredBands.queuedBytes);
  readonly #stalls = new SteadyBand(measuredBands.stallRatio);
  readonly #upload = new SteadyBand(measuredBands.uploadRatio);
  #measured: Measured | undefined;

  /** The newest measurement. */
  get measured(): Measured | undefined {
    return this.#measured;
  }

  /** The bands that count now. */
  get held(): HeldBands {
    return {
      loss: this.#loss.name,
      rtt: this.#rtt.name,
      jitter: this.#jitter.name,
      queue: this.#queue.name,
      stalls: this.#stalls.name,
      upload: this.#upload.name,
    };
  }

  /** Takes a measurement; says which bands have changed, in words, or nothing. The first one is news by itself. */
  observe(measured: Measured, nowMs: number): string[] {
    const before = this.held;
    const isFirst = this.#measured === undefined;
    this.#measured = measured;
    this.#loss.update(measured.lossRatio, nowMs);
    this.#rtt.update(measured.rttMs, nowMs);
    this.#jitter.update(measured.jitterMs, nowMs);
    this.#queue.update(measured.queuedBytes ?? 0, nowMs);
    this.#stalls.update(measured.stallRatio ?? 0, nowMs);
    this.#upload.update(measured.uploadRatio ?? 0, nowMs);
    if (isFirst) return ["measured for the first time"];
    const after = this.held;
    const names = Object.keys(after) as (keyof HeldBands)[];
    return names.flatMap((name) =>
      after[name] === before[name] ? [] : [`${name} ${after[name]} instead of ${before[name]}`],
    );
  }
}
