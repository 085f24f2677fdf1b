import { type HeldBands, measuredBands, quantities } from "./bands.js";
import type { Measured } from "./circumstances.js";
import { ENTER_AFTER_MS, LEAVE_AFTER_MS, SteadyBand } from "./steady-band.js";

type Name = keyof typeof quantities;
/** A reading of stalls covers five seconds and ignores single ones: a wait would make it no more certain. */
const STALLS_ENTER_AFTER_MS = 0;
/** Additional sockets close only after a quiet minute: opening one again costs a handshake. */
const STALLS_LEAVE_AFTER_MS = 60_000;
/** Limit of the time for which a quantity keeps its band without measurements, in multiples of the first. */
const MAX_KEPT = 16;
const names = Object.keys(quantities) as Name[];

/** Turns the measurements of every second into bands that are steady enough for the decision tree. */
export class SteadyMeasurements {
  /**
   * A quantity that is not measured any more keeps its band for the time that a better value would need.
   * Otherwise a change of links would be undone at once, only because the new link measures other quantities.
   */
  readonly #bands = new Map<Name, { readonly band: SteadyBand; measuredAtMs: number }>();
  /**
   * That time, ms, where it is longer than at first. Each bad band that ends without a measurement doubles it: if
   * the change of links that follows brings the band back, links would otherwise change for ever.
   */
  readonly #keptMs = new Map<Name, number>();
  /** The newest measurement. */
  measured: Measured | undefined;
  /** Time of {@link measured}, on the clock of {@link observe}. */
  measuredAtMs = 0;

  /** The present band of each quantity; `unknown` without a recent measurement. */
  get held(): HeldBands {
    const held = names.map((name) => [name, this.#bands.get(name)?.band.name ?? "unknown"]);
    return Object.fromEntries(held);
  }

  /** Takes a measurement. Returns a text for each band that has changed. */
  observe(measured: Measured, nowMs: number): string[] {
    const before = this.held;
    this.measured = measured;
    this.measuredAtMs = nowMs;
    for (const name of names) this.#update(name, measured[quantities[name]], nowMs);
    const after = this.held;
    return names.flatMap((name) =>
      after[name] === before[name] ? [] : [`${name} ${after[name]} instead of ${before[name]}`],
    );
  }

  #update(name: Name, value: number | undefined, nowMs: number): void {
    const held = this.#bands.get(name);
    const [enterAfterMs, leaveAfterMs] =
      name === "stalls" ? [STALLS_ENTER_AFTER_MS, STALLS_LEAVE_AFTER_MS] : [ENTER_AFTER_MS, LEAVE_AFTER_MS];
    const bands = measuredBands[quantities[name]];
    if (value === undefined) {
      const keptMs = this.#keptMs.get(name) ?? leaveAfterMs;
      if (!held || nowMs - held.measuredAtMs < keptMs) return;
      this.#bands.delete(name);
      if (held.band.name !== bands[0].name)
        this.#keptMs.set(name, Math.min(2 * keptMs, MAX_KEPT * leaveAfterMs));
      return;
    }
    const { band } = held ?? { band: new SteadyBand(bands, enterAfterMs, leaveAfterMs) };
    this.#bands.set(name, { band, measuredAtMs: nowMs });
    band.update(value, nowMs);
  }
}
