import { ConfigError } from "@paceline/protocol";
import {
  isFiniteRow,
  positionErrorM,
  speedOf,
  type BodyLayout,
  type Components,
} from "../body/body-layout.js";
import {
  ReceiverModel,
  headingErrorRad,
  type ReceiverModelOptions,
  type ReckoningError,
} from "./receiver-model.js";

/** When an entity is sent. */
export interface SendDecisionPolicy {
  /** Largest error at receivers that is let pass. */
  readonly positionThresholdM: number;
  readonly headingThresholdRad: number;
  /** One-way delay to the receivers, and what they need to show an update: how far ahead the error is judged. */
  readonly horizonMs: number;
  /** Never two updates of an entity within this time. */
  readonly minIntervalMs: number;
  /** An entity is sent at least this often (DIS: 5 s). */
  readonly heartbeatMs: number;
  /** A moving one at least this often, so that a lost update is soon made good. */
  readonly movingHeartbeatMs: number;
  /** An update is followed by another after this time, if none was due before: 0 for never. For paths that lose much. */
  readonly repeatAfterMs: number;
  /** Receivers show the entity between its states: while it moves it is sent whenever the interval is over. */
  readonly isInterpolated?: boolean;
}

/** Why an entity has to be sent. */
export type SendReason = "first" | "position" | "heading" | "snapshot" | "field" | "repeat" | "heartbeat";

/** Steps of a game never meet an interval exactly: it counts as over this much earlier. */
const SLACK_SECONDS = 0.002;
/** Slower than this (m/s) an entity stands. */
const STANDING_MPS = 0.02;

/** Shown between its states, an entity that went less far than this share of the threshold has not moved. */
const UNMOVED_SHARE = 0.1;

/** Share of packets lost from which updates are worth repeating: with less, the next one comes soon enough. */
const LOSSY_RATIO = 0.025;
/** An update is repeated after this time without a newer one, ms. */
export const REPEAT_AFTER_MS = 67;

/** The time after which an update should be repeated on paths that lose this share of packets; 0: never. */
export function repeatAfterMsFor(lossRatio: number): number {
  return lossRatio >= LOSSY_RATIO ? REPEAT_AFTER_MS : 0;
}

/** Decides tick by tick whether one entity has to be sent. */
export class SendDecision {
  readonly #layout: BodyLayout;
  readonly #receiverModel: ReceiverModel;
  readonly #error: ReckoningError = { positionM: 0, headingRad: 0 };
  readonly #lastSent: Float64Array;
  #isRepeated = true;

  /** @param width components of a row */
  constructor(options: ReceiverModelOptions, width: number) {
    if (!(options.tickSeconds > 0)) {
      const expected = "more than 0 s";
      throw new ConfigError({ field: "tickSeconds", value: options.tickSeconds, expected });
    }
    this.#layout = options.layout;
    this.#receiverModel = new ReceiverModel(options, width);
    this.#lastSent = new Float64Array(width);
  }

  /** The result of the last call of `due`. */
  get error(): Readonly<ReckoningError> {
    return this.#error;
  }

  /** Why the state has to be sent at this tick; undefined where it has not. What a game's own model throws comes out. */
  due(state: Components, tick: number, policy: SendDecisionPolicy): SendReason | undefined {
    // A game that computes NaN must not send it.
    if (!isFiniteRow(state)) return undefined;
    const age = this.#receiverModel.secondsSinceSent(tick) + SLACK_SECONDS;
    this.#receiverModel.error(state, tick, policy.horizonMs / 1000, this.#error);
    if (age === Infinity || age < 0) return "first";
    if (age < policy.minIntervalMs / 1000) return undefined;
    if (policy.isInterpolated) return this.#snapshotReason(state, age, policy);
    // A model of the game that returns NaN is never within a threshold: such an entity is sent.
    if (!(this.#error.positionM <= policy.positionThresholdM)) return "position";
    if (!(this.#error.headingRad <= policy.headingThresholdRad)) return "heading";
    if (!this.#isRepeated && policy.repeatAfterMs > 0 && age >= policy.repeatAfterMs / 1000) return "repeat";
    const isMoving =
      speedOf(this.#layout, state) > STANDING_MPS || speedOf(this.#layout, this.#lastSent) > STANDING_MPS;
    const heartbeatMs = isMoving
      ? Math.min(policy.heartbeatMs, policy.movingHeartbeatMs)
      : policy.heartbeatMs;
    return age >= heartbeatMs / 1000 ? "heartbeat" : undefined;
  }

  /** A resting state is sent twice: receivers then know that the silence after it is no loss. */
  #snapshotReason(state: Components, ageSeconds: number, policy: SendDecisionPolicy): SendReason | undefined {
    const layout = this.#layout;
    const movedM = positionErrorM(layout, state, this.#lastSent);
    const turnedRad = headingErrorRad(layout, state, this.#lastSent);
    const hasMoved = movedM > policy.positionThresholdM * UNMOVED_SHARE;
    if (hasMoved || turnedRad > policy.headingThresholdRad * UNMOVED_SHARE) return "snapshot";
    if (!this.#isRepeated) return "repeat";
    return ageSeconds >= policy.heartbeatMs / 1000 ? "heartbeat" : undefined;
  }

  /** The state went out at this tick, for this reason. */
  sent(state: Components, tick: number, reason: SendReason): void {
    this.#receiverModel.sent(state, tick);
    this.#lastSent.set(state);
    // Heartbeats and repeats say nothing new; what they would repeat is no news either.
    this.#isRepeated = reason === "repeat" || reason === "heartbeat";
  }
}
