import { type HeldBands, measuredBands } from "../profiles/bands.js";
import type { Measured } from "../profiles/circumstances.js";
import { SteadyBand } from "./steady-band.js";

/** The quantities by the names of their bands. */
const quantities = {
  loss: "lossRatio",
  rtt: "rttMs",
  queue: "queuedBytes",
  stalls: "stallRatio",
  upload: "uploadRatio",
} as const satisfies Record<keyof HeldBands, keyof Measured>;
type Name = keyof typeof quantities;
const names = Object.keys(quantities) as Name[];

/** Turns what is measured every second into bands that the decision tree can go by without changing its mind all the time. */
export class SteadyMeasurements {
  /** Of what is measured now: a quantity that was not measured for a while begins again. */
  readonly #bands = new Map<Name, SteadyBand>();
  #measured: Measured | undefined;
  #measuredAtMs = 0;

  /** The newest measurement. */
  get measured(): Measured | undefined {
    return this.#measured;
  }

  /** When {@link measured} was taken, on the clock of {@link observe}. */
  get measuredAtMs(): number {
    return this.#measuredAtMs;
  }

  /** The bands that count now. */
  get held(): HeldBands {
    const held = names.map((name) => [name, this.#bands.get(name)?.name ?? "unknown"]);
    return Object.fromEntries(held);
  }

  /** Takes a measurement; says which bands have changed, in words, or nothing. */
  observe(measured: Measured, nowMs: number): string[] {
    const before = this.held;
    this.#measured = measured;
    this.#measuredAtMs = nowMs;
    for (const name of names) this.#update(name, measured[quantities[name]], nowMs);
    const after = this.held;
    return names.flatMap((name) =>
      after[name] === before[name] ? [] : [`${name} ${after[name]} instead of ${before[name]}`],
    );
  }

  #update(name: Name, value: number | undefined, nowMs: number): void {
    if (value === undefined) return void this.#bands.delete(name);
    const band = this.#bands.get(name) ?? new SteadyBand(measuredBands[quantities[name]]);
    this.#bands.set(name, band);
    band.update(value, nowMs);
  }
}
