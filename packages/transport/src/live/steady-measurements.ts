import { type HeldBands, measuredBands, quantities } from "../profiles/bands.js";
import type { Measured } from "../profiles/circumstances.js";
import { ENTER_AFTER_MS, LEAVE_AFTER_MS, SteadyBand } from "./steady-band.js";

type Name = keyof typeof quantities;
/** A reading of stalls covers five seconds and ignores single ones: a wait would make it no more certain. */
const STALLS_ENTER_AFTER_MS = 0;
/** Additional sockets close only after a quiet minute: opening one again costs a handshake. */
const STALLS_LEAVE_AFTER_MS = 60_000;
const names = Object.keys(quantities) as Name[];

/** Turns the measurements of every second into bands that are steady enough for the decision tree. */
export class SteadyMeasurements {
  /**
   * A quantity that is not measured any more keeps its band for the time that a better value would need.
   * Otherwise a change of links would be undone at once, only because the new link measures other quantities.
   */
  readonly #bands = new Map<Name, { readonly band: SteadyBand; measuredAtMs: number }>();
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
    if (value === undefined) {
      if (held && nowMs - held.measuredAtMs >= leaveAfterMs) this.#bands.delete(name);
      return;
    }
    const { band } = held ?? {
      band: new SteadyBand(measuredBands[quantities[name]], enterAfterMs, leaveAfterMs),
    };
    this.#bands.set(name, { band, measuredAtMs: nowMs });
    band.update(value, nowMs);
  }
}
