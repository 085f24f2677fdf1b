import { ConfigError, type EntityDefinition } from "@paceline/protocol";
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
import type { SendDecisionPolicy, SendReason } from "./send-policy.js";
import type { Reckoner } from "./reckoner.js";

/** Tolerance of intervals, since a game's steps never match them exactly. */
const SLACK_SECONDS = 0.002;
/** Speed below which an entity stands, m/s. */
const STANDING_MPS = 0.02;

/** Share of the threshold below which an interpolated entity has not moved. */
const UNMOVED_SHARE = 0.1;

/** Decides in each tick if one entity must be sent. */
export class SendDecision {
  readonly #layout: BodyLayout;
  readonly #receiverModel: ReceiverModel;
  readonly #error: ReckoningError = { positionM: 0, headingRad: 0 };
  readonly #lastSent: Float64Array;
  /** Number of times that the newest state was sent. */
  #copies = 0;

  /** @param width components per row */
  constructor(options: ReceiverModelOptions, width: number) {
    if (!(options.tickSeconds > 0)) {
      throw new ConfigError("tickSeconds", options.tickSeconds, "more than 0 s");
    }
    this.#layout = options.layout;
    this.#receiverModel = new ReceiverModel(options, width);
    this.#lastSent = new Float64Array(width);
  }

  /** Errors computed by the last call of `due`. */
  get error(): Readonly<ReckoningError> {
    return this.#error;
  }

  /**
   * Returns the reason to send the state at this tick, or undefined. Exceptions of a game's own model pass
   * through.
   */
  due(state: Components, tick: number, policy: SendDecisionPolicy): SendReason | undefined {
    // A state with NaN must not be sent.
    if (!isFiniteRow(state)) return undefined;
    const age = this.#receiverModel.secondsSinceSent(tick) + SLACK_SECONDS;
    this.#receiverModel.error(state, tick, policy.horizonMs / 1000, this.#error);
    if (age === Infinity || age < 0) return "first";
    if (age < policy.minIntervalMs / 1000) return undefined;
    if (policy.isInterpolated) return this.#snapshotReason(state, age, policy);
    // If a game's model returns NaN, the comparison fails and the entity is sent.
    if (!(this.#error.positionM <= policy.positionThresholdM)) return "position";
    if (!(this.#error.headingRad <= policy.headingThresholdRad)) return "heading";
    if (this.#copies < 2 && isRepeatDue(age, policy)) return "repeat";
    const isMoving =
      speedOf(this.#layout, state) > STANDING_MPS || speedOf(this.#layout, this.#lastSent) > STANDING_MPS;
    const heartbeatMs = isMoving
      ? Math.min(policy.heartbeatMs, policy.movingHeartbeatMs)
      : policy.heartbeatMs;
    return age >= heartbeatMs / 1000 ? "heartbeat" : undefined;
  }

  /**
   * Returns the reason to send an interpolated entity. A resting state is sent twice, so that receivers do
   * not take the silence for loss, and three times if the policy repeats: while both are lost, receivers move
   * the entity on.
   */
  #snapshotReason(state: Components, ageSeconds: number, policy: SendDecisionPolicy): SendReason | undefined {
    const layout = this.#layout;
    const movedM = positionErrorM(layout, state, this.#lastSent);
    const turnedRad = headingErrorRad(layout, state, this.#lastSent);
    const hasMoved = movedM > policy.positionThresholdM * UNMOVED_SHARE;
    if (hasMoved || turnedRad > policy.headingThresholdRad * UNMOVED_SHARE) return "snapshot";
    if (this.#copies < 2 || (this.#copies < 3 && isRepeatDue(ageSeconds, policy))) return "repeat";
    return ageSeconds >= policy.heartbeatMs / 1000 ? "heartbeat" : undefined;
  }

  /** Records that the state was sent at this tick, for this reason. */
  sent(state: Components, tick: number, reason: SendReason): void {
    this.#receiverModel.sent(state, tick);
    this.#lastSent.set(state);
    // Heartbeats and repeats contain nothing new, so they are not repeated.
    this.#copies = reason === "repeat" || reason === "heartbeat" ? this.#copies + 1 : 1;
  }
}

function isRepeatDue(ageSeconds: number, { repeatAfterMs }: SendDecisionPolicy): boolean {
  return repeatAfterMs > 0 && ageSeconds >= repeatAfterMs / 1000;
}

/** Returns a decision for one entity, whose states these reckoners continue; undefined if it has no motion. */
export function decisionWith(
  definition: EntityDefinition,
  tickSeconds: number,
  newReckoner: (definition: EntityDefinition) => Reckoner,
): SendDecision | undefined {
  const { motion, motionLayout: layout, components } = definition;
  if (!layout) return undefined;
  // A history of sent positions cannot predict from an unsent state.
  const fresh = motion === "history" ? undefined : newReckoner(definition);
  return new SendDecision({ layout, sent: newReckoner(definition), fresh, tickSeconds }, components.length);
}
