import { angleDifference } from "../body/pose.js";
import { positionErrorM, type BodyLayout, type Components } from "../body/body-layout.js";
import type { Reckoner } from "./reckoner.js";

/** Errors of the pose that receivers show. */
export interface ReckoningError {
  positionM: number;
  headingRad: number;
}

export interface ReceiverModelOptions {
  readonly layout: BodyLayout;
  /** Continues the last sent state. */
  readonly sent: Reckoner;
  /** Continues states that were not sent; undefined for a model that needs more than one state. */
  readonly fresh: Reckoner | undefined;
  /** Length of a simulation tick, s. */
  readonly tickSeconds: number;
}

/**
 * The owner's copy of what receivers show of one entity: the last sent state, continued by their model.
 *
 * It can look ahead, because an update sent now is shown a one-way delay later. Then the error is the
 * difference between the old and the new prediction at that time. A car that has just begun to brake is still
 * at its expected place, but will not be.
 */
export class ReceiverModel {
  readonly #layout: BodyLayout;
  readonly #tickSeconds: number;
  readonly #sent: Reckoner;
  readonly #fresh: Reckoner | undefined;
  readonly #expected: Float64Array;
  readonly #actual: Float64Array;
  #sentTick: number | undefined;

  constructor({ layout, sent, fresh, tickSeconds }: ReceiverModelOptions, width: number) {
    this.#layout = layout;
    this.#tickSeconds = tickSeconds;
    this.#sent = sent;
    this.#fresh = fresh;
    this.#expected = new Float64Array(width);
    this.#actual = new Float64Array(width);
  }

  /** Returns the seconds from the last sent state to `tick`; Infinity before the first. */
  secondsSinceSent(tick: number): number {
    return this.#sentTick === undefined ? Infinity : ((tick - this.#sentTick) | 0) * this.#tickSeconds;
  }

  /** Records that the state was sent at this tick. */
  sent(state: Components, tick: number): void {
    const seconds = this.secondsSinceSent(tick);
    this.#sent.take(state, Number.isFinite(seconds) ? seconds : 0);
    this.#sentTick = tick;
  }

  /**
   * Computes the error of the shown pose at `tick`, or `horizonSeconds` later if the state continues by the
   * model. Exceptions of a game's own model pass through.
   */
  error(state: Components, tick: number, horizonSeconds: number, into: ReckoningError): void {
    if (this.#sentTick === undefined) {
      into.positionM = Infinity;
      into.headingRad = Infinity;
      return;
    }
    const horizon = this.#fresh ? horizonSeconds : 0;
    this.#sent.predict(this.secondsSinceSent(tick) + horizon, this.#expected);
    if (this.#fresh && horizon > 0) {
      this.#fresh.take(state, 0);
      this.#fresh.predict(horizon, this.#actual);
    } else this.#actual.set(state);
    into.positionM = positionErrorM(this.#layout, this.#expected, this.#actual);
    into.headingRad = headingErrorRad(this.#layout, this.#expected, this.#actual);
  }
}

/** Returns the angle between the headings of two rows, rad; 0 if they have none. */
export function headingErrorRad(layout: BodyLayout, a: Components, b: Components): number {
  if (layout.heading === undefined) return 0;
  return Math.abs(angleDifference(a[layout.heading]!, b[layout.heading]!));
}
