import { isFiniteRow, type BodyLayout, type Components } from "../body/body-layout.js";
import { Convergence, RATE_SECONDS, type ConvergenceOptions } from "../convergence/convergence.js";
import { clampPosition } from "../body/pose.js";
import { WorldReckoner } from "../reckoning/world-reckoner.js";
import { interpolatePose } from "./hermite.js";
import { SnapshotBuffer } from "./snapshot-buffer.js";

export interface InterpolatedBodyOptions {
  readonly layout: BodyLayout;
  /**
   * Longest continuation without a newer snapshot, ms. The entity moves on with its velocity for this time,
   * then stops.
   */
  readonly extrapolationLimitMs: number;
  /** Smoothing from an extrapolated state to the true one. */
  readonly convergence: ConvergenceOptions;
}

/** Source of a shown pose; `none`: there is no pose. */
export type SampleKind = "none" | "interpolated" | "extrapolated";

/** Shows a remote entity by interpolation, at a time in the past. Times are in s of its owner. */
export class InterpolatedBody {
  readonly #options: InterpolatedBodyOptions;
  readonly #buffer = new SnapshotBuffer();
  readonly #reckoner: WorldReckoner;
  readonly #convergence: Convergence;
  readonly #scratch: readonly [Float64Array, Float64Array, Float64Array, Float64Array];
  /**
   * Time of the newest snapshot at the last extrapolated pose, s; undefined if that pose was interpolated.
   */
  #extrapolatedFrom: number | undefined;
  #lastShown: { readonly seconds: number; readonly row: Float64Array } | undefined;

  /** @param width components per row */
  constructor(options: InterpolatedBodyOptions, width: number) {
    this.#options = options;
    this.#reckoner = new WorldReckoner(options.layout, 1);
    this.#convergence = new Convergence(options.layout, options.convergence);
    const row = (): Float64Array => new Float64Array(width);
    this.#scratch = [row(), row(), row(), row()];
  }

  get newestSeconds(): number | undefined {
    return this.#buffer.newest?.seconds;
  }

  /** Adds a snapshot. Returns false if it is a duplicate, far too old, or not finite. */
  receive(row: Components, seconds: number, isJump = false): boolean {
    if (!isFiniteRow(row)) return false;
    return this.#buffer.add(row, seconds, isJump);
  }

  /** Writes the pose to draw at `renderSeconds` to `into`. Leaves it unchanged if it returns `none`. */
  show(renderSeconds: number, into: Components): SampleKind {
    const newest = this.#buffer.newest;
    if (!newest || !Number.isFinite(renderSeconds)) return "none";
    const isStarved = renderSeconds > newest.seconds;
    if (this.#extrapolatedFrom !== undefined && newest.seconds !== this.#extrapolatedFrom) {
      this.#recover(renderSeconds);
    }
    this.#extrapolatedFrom = isStarved ? newest.seconds : undefined;
    this.#place(renderSeconds, into);
    this.#convergence.apply(into, renderSeconds);
    // A cubic swings beyond its ends, and a correction may lead out of the range.
    clampPosition(this.#options.layout, into);
    this.#remember(renderSeconds, into);
    return isStarved ? "extrapolated" : "interpolated";
  }

  /** Blends from the extrapolated pose to the path of a newly arrived snapshot. */
  #recover(renderSeconds: number): void {
    const last = this.#lastShown;
    const [shownNow, shownSoon, newNow, newSoon] = this.#scratch;
    const newest = this.#buffer.newest!;
    const hasJumped = newest.isJump || !last;
    if (hasJumped || renderSeconds - last.seconds > 0.25) {
      this.#convergence.end();
      return;
    }
    // Continue with the velocity that was shown.
    this.#reckoner.take(last.row);
    this.#reckoner.predict(renderSeconds - last.seconds, shownNow);
    this.#reckoner.predict(renderSeconds - last.seconds + RATE_SECONDS, shownSoon);
    this.#place(renderSeconds, newNow);
    this.#place(renderSeconds + RATE_SECONDS, newSoon);
    this.#convergence.begin(
      { now: shownNow, soon: shownSoon },
      { now: newNow, soon: newSoon },
      renderSeconds,
    );
  }

  #place(seconds: number, into: Components): void {
    const at = this.#buffer.indexAt(seconds);
    const from = this.#buffer.at(at);
    const to = this.#buffer.at(at + 1);
    if (!from) into.set(this.#buffer.oldest!.row);
    else if (!to) this.#extrapolate(seconds - from.seconds, from.row, into);
    else if (to.isJump) into.set(from.row);
    else interpolatePose(this.#options.layout, from, to, seconds, into);
  }

  #extrapolate(seconds: number, row: Float64Array, into: Components): void {
    this.#reckoner.take(row);
    this.#reckoner.predict(Math.min(seconds, this.#options.extrapolationLimitMs / 1000), into);
  }

  #remember(seconds: number, shown: Components): void {
    const row = this.#lastShown?.row ?? new Float64Array(shown.length);
    row.set(shown);
    this.#lastShown = { seconds, row };
  }
}
