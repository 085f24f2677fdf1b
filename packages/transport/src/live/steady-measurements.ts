import { type HeldBands, measuredBands } from "../profiles/bands.js";
import type { Measured } from "../profiles/circumstances.js";
import { ENTER_AFTER_MS, LEAVE_AFTER_MS, SteadyBand } from "./steady-band.js";

/** The quantities by the names of their bands. */
const quantities = {
  loss: "lossRatio",
  rtt: "rttMs",
  queue: "queuedBytes",
  stalls: "stallRatio",
  upload: "uploadRatio",
} as const satisfies Record<keyof HeldBands, keyof Measured>;
type Name = keyof typeof quantities;
/** Stalls are counted over five seconds, and a few of them are none: to wait would make them no surer. */
const STALLS_ENTER_AFTER_MS = 0;
/** More sockets close only after a quiet minute: opening one again costs a handshake. */
const STALLS_LEAVE_AFTER_MS = 60_000;
const names = Object.keys(quantities) as Name[];

/** Turns what is measured every second into bands that the decision tree can go by without changing its mind all the time. */
export class SteadyMeasurements {
  /**
   * A quantity that is not measured any more keeps its band for as long as a better value would: a change of links must
   * not take back at once what led to it, only because another link shows other quantities.
   */
  readonly #bands = new Map<Name, { readonly band: SteadyBand; measuredAtMs: number }>();
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
    const held = names.map((name) => [name, this.#bands.get(name)?.band.name ?? "unknown"]);
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
