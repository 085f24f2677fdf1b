import { angleDifference } from "../body/angle.js";
import { positionErrorM, type BodyLayout, type Components } from "../body/body-layout.js";
import { orientationErrorRad } from "../body/quaternion.js";
import { newReckoner, type ReckoningModel } from "./new-reckoner.js";
import type { Reckoner } from "./reckoner.js";

/** The error of the pose that receivers show. */
export interface ReckoningError {
  positionM: number;
  headingRad: number;
}

export interface ReceiverModelOptions {
  readonly layout: BodyLayout;
  readonly model: ReckoningModel;
  /** Seconds of one simulation tick. */
  readonly tickSeconds: number;
}

/**
 * The owner's model of one entity at its receivers: the state sent last, continued as they continue it.
 *
 * It can look ahead: an update that leaves now is shown a one-way delay later. So what counts is how far the old and
 * the new prediction will be apart then, not how far they are now: a car that has just begun to brake is where it is
 * expected, and will not be.
 */
export class ReceiverModel {
  readonly #layout: BodyLayout;
  readonly #tickSeconds: number;
  readonly #sent: Reckoner;
  readonly #fresh: Reckoner | undefined;
  readonly #expected: Float64Array;
  readonly #actual: Float64Array;
  #sentTick: number | undefined;

  constructor({ layout, model, tickSeconds }: ReceiverModelOptions, width: number) {
    this.#layout = layout;
    this.#tickSeconds = tickSeconds;
    this.#sent = newReckoner(layout, model);
    // A history of sent positions cannot forecast a state that is not sent yet.
    this.#fresh = model === "history" ? undefined : newReckoner(layout, model);
    this.#expected = new Float64Array(width);
    this.#actual = new Float64Array(width);
  }

  /** Seconds between the state sent last and `tick`; Infinity before the first. */
  secondsSinceSent(tick: number): number {
    return this.#sentTick === undefined ? Infinity : ((tick - this.#sentTick) | 0) * this.#tickSeconds;
  }

  /** The state went out at this tick. */
  sent(state: Components, tick: number): void {
    const seconds = this.secondsSinceSent(tick);
    this.#sent.take(state, Number.isFinite(seconds) ? seconds : 0);
    this.#sentTick = tick;
  }

  /**
   * The error of what receivers show at `tick`, or `horizonSeconds` after it if the state goes on as the model says.
   * Errors of a game's own model pass through.
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

/** Angle between the headings, or the orientations, of two rows, rad; 0 where there are none. */
export function headingErrorRad(layout: BodyLayout, a: Components, b: Components): number {
  if (layout.orientation !== undefined) return orientationErrorRad(a, b, layout.orientation);
  if (layout.heading === undefined) return 0;
  return Math.abs(angleDifference(a[layout.heading]!, b[layout.heading]!));
}
