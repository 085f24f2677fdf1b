import type { EntityDefinition, Leaf, Texts } from "@paceline/protocol";
import { angleDifference, orientationErrorRad } from "../body/pose.js";
import type { SendDecision } from "../reckoning/send-decision.js";
import { isInterpolated, type SendDecisionPolicy, type SendReason } from "../reckoning/send-policy.js";
import type { MotionFault } from "../reckoning/remote-body.js";
import { deriveVelocity, isVelocityDerived } from "./derived-velocity.js";

/** Tolerance by which an update may leave early, because a game's steps never match the interval exactly. */
const INTERVAL_SLACK_MS = 2;
/** Largest difference by rounding alone: half a step, and a little for Float32. */
const ROUNDING_STEPS = 0.51;
/**
 * Largest urgency, in thresholds. Without the limit, entities with smaller errors would never be sent. It
 * also applies if there is no measure, as for a first state.
 */
const MAX_URGENCY = 32;
const UNPREDICTED_URGENCY = 2;

/** Returns a new {@link SendDecision}, like `sendDecisionOf`; undefined while its code is not loaded. */
export type DecisionOf = (definition: EntityDefinition, tickSeconds: number) => SendDecision | undefined;

export interface SentReplicaOptions {
  readonly definition: EntityDefinition;
  readonly decisionOf: DecisionOf;
  /** Length of a simulation tick, s. */
  readonly tickSeconds: number;
  /** Called when the model fails, and again only after it has worked in between. */
  readonly onFault?: ((fault: MotionFault) => void) | undefined;
}

/** A field outside motion: its components, and their threshold. */
interface PlainField {
  readonly at: number;
  readonly count: number;
  readonly kind: "angle" | "quat" | "number";
  readonly threshold: number;
  /** True for the position of a kind without motion. */
  readonly isPosition: boolean;
  /**
   * True: the threshold applies to each component, which may be rounded. False: to the distance of all
   * components.
   */
  readonly isOfEach: boolean;
}

type Own = { -readonly [Key in keyof SendDecisionPolicy]: SendDecisionPolicy[Key] };

const NO_TEXTS: Texts = [];

/**
 * The sender's record of one entity. It decides when to send: if receivers are wrong about its motion,
 * another field has changed, or the last send is long ago.
 */
export class SentReplica {
  /** Factor on the thresholds of motion. */
  thresholdFactor = 1;
  readonly #options: SentReplicaOptions;
  /** Undefined without a motion, and before its code is loaded. */
  #decision: SendDecision | undefined;
  readonly #plain: readonly PlainField[];
  /** The last sent state as receivers have it: quantised. */
  readonly #sent: Float32Array;
  readonly #isVelocityDerived: boolean;
  readonly #own: Own = {
    positionThresholdM: 0,
    headingThresholdRad: 0,
    horizonMs: 0,
    // urgency() checks the interval, in real time.
    minIntervalMs: 0,
    heartbeatMs: 0,
    movingHeartbeatMs: 0,
    repeatAfterMs: 0,
    isInterpolated: false,
  };
  #sentTexts: Texts = NO_TEXTS;
  #sentTick: number | undefined;
  sentAtMs = -Infinity;
  #reason: SendReason = "first";
  #isFaulty = false;

  constructor(options: SentReplicaOptions) {
    const { definition } = options;
    this.#options = options;
    this.#sent = new Float32Array(definition.components.length);
    this.#plain = plainFields(definition);
    this.#isVelocityDerived = isVelocityDerived(definition);
  }

  /** Returns the urgency of the state at this tick: 0 if it is not due, else its error in thresholds. */
  urgency(
    state: Float32Array,
    tick: number,
    nowMs: number,
    policy: SendDecisionPolicy,
    texts = NO_TEXTS,
  ): number {
    const { definition } = this.#options;
    const ageMs = nowMs - this.sentAtMs;
    if (ageMs < policy.minIntervalMs - INTERVAL_SLACK_MS) return 0;
    const heartbeatMs = definition.heartbeatMs ?? policy.heartbeatMs;
    const ofMotion = definition.motionLayout
      ? this.#motionUrgency(state, tick, this.#policyOf(policy, heartbeatMs))
      : 0;
    if (ofMotion > 0) return ofMotion;
    const isPlain = this.#hasPlainChange(state, policy.leastErrorM ?? 0) || this.#hasOtherTexts(texts);
    this.#reason = isPlain ? "field" : "heartbeat";
    return isPlain || ageMs >= heartbeatMs ? 1 : 0;
  }

  /**
   * Records that the state was sent at this tick. `state`: as receivers read it, quantised. Fills in the
   * values that receivers derive.
   */
  sent(state: Float32Array, tick: number, nowMs: number, texts = NO_TEXTS): void {
    if (this.#isVelocityDerived) {
      const ticks = this.#sentTick === undefined ? 0 : (tick - this.#sentTick) | 0;
      deriveVelocity(this.#options.definition, this.#sent, state, ticks * this.#options.tickSeconds);
    }
    this.#sent.set(state);
    if (texts.length > 0) this.#sentTexts = texts.slice();
    this.#sentTick = tick;
    this.sentAtMs = nowMs;
    this.#decision?.sent(state, tick, this.#reason);
  }

  /** Excludes a teleport from the derived velocity. */
  teleported(): void {
    this.#sentTick = undefined;
  }

  /** Returns the policy for this entity, in an object that is reused at every tick. */
  #policyOf(policy: SendDecisionPolicy, heartbeatMs: number): Own {
    const own = this.#own;
    const { thresholdFactor } = this;
    const { definition } = this.#options;
    const { fields, threshold } = definition;
    own.horizonMs = policy.horizonMs;
    own.heartbeatMs = heartbeatMs;
    own.movingHeartbeatMs = policy.movingHeartbeatMs;
    own.repeatAfterMs = policy.repeatAfterMs;
    own.isInterpolated = isInterpolated(definition, policy.isInterpolated === true);
    // Values are sent in steps, so a smaller threshold is useless.
    own.positionThresholdM = Math.max(
      (threshold.position ?? policy.positionThresholdM) * thresholdFactor,
      fields.position?.precision ?? 0,
      policy.leastErrorM ?? 0,
    );
    own.headingThresholdRad = Math.max(
      (threshold.heading ?? policy.headingThresholdRad) * thresholdFactor,
      fields.heading?.precision ?? 0,
    );
    return own;
  }

  #motionUrgency(state: Float32Array, tick: number, policy: Own): number {
    const { positionThresholdM, headingThresholdRad } = policy;
    const { definition, tickSeconds, decisionOf } = this.#options;
    const decision = (this.#decision ??= decisionOf(definition, tickSeconds));
    if (!decision) return this.#unpredicted();
    try {
      const reason = decision.due(state, tick, policy);
      const { positionM, headingRad } = decision.error;
      if (Number.isNaN(positionM)) this.#fail({ kind: "not-finite" });
      else this.#isFaulty = false;
      if (reason === undefined) return 0;
      this.#reason = reason;
      const thresholds = Math.max(1, positionM / positionThresholdM, headingRad / headingThresholdRad);
      // NaN and Infinity mean that there is no prediction.
      return Number.isFinite(thresholds) ? Math.min(thresholds, MAX_URGENCY) : MAX_URGENCY;
    } catch (cause) {
      this.#fail({ kind: "threw", cause });
      return this.#unpredicted();
    }
  }

  /** Without a prediction the entity must be sent. */
  #unpredicted(): number {
    this.#reason = "position";
    return UNPREDICTED_URGENCY;
  }

  #fail(fault: MotionFault): void {
    if (!this.#isFaulty) this.#options.onFault?.(fault);
    this.#isFaulty = true;
  }

  #hasPlainChange(state: Float32Array, leastErrorM: number): boolean {
    const sent = this.#sent;
    for (const { at, count, kind, threshold: own, isOfEach, isPosition } of this.#plain) {
      const threshold = isPosition ? Math.max(own, leastErrorM) : own;
      if (kind === "quat") {
        if (orientationErrorRad(state, sent, at) > threshold) return true;
        continue;
      }
      let squares = 0;
      for (let index = at; index < at + count; index++) {
        const change =
          kind === "angle" ? angleDifference(state[index]!, sent[index]!) : state[index]! - sent[index]!;
        squares = isOfEach ? Math.max(squares, change * change) : squares + change * change;
      }
      if (squares > threshold * threshold) return true;
    }
    return false;
  }

  #hasOtherTexts(texts: Texts): boolean {
    return texts.some((text, index) => !isSameText(text, this.#sentTexts[index]));
  }
}

function isSameText(a: string | Uint8Array, b: string | Uint8Array | undefined): boolean {
  if (typeof a === "string" || typeof b === "string" || b === undefined) return a === b;
  return a.length === b.length && a.every((byte, index) => byte === b[index]);
}

function plainFields(definition: EntityDefinition): PlainField[] {
  const { threshold, motionLayout: layout } = definition;
  return definition.leaves.flatMap(({ path, field, offset: at, count }: Leaf) => {
    const own = threshold[path.split(".", 1)[0]!];
    if (count === 0 || (layout && (at === layout.position || at === layout.heading))) return [];
    // Velocity and acceleration count by their effect: the position's error.
    const isRate = layout && (at === layout.velocity || at === layout.acceleration);
    if (isRate && own === undefined) return [];
    const kind = field.kind === "angle" || field.kind === "quat" ? field.kind : "number";
    // The precision of a rotation applies to the whole, not to a component.
    const rounding = kind === "quat" ? 1 : ROUNDING_STEPS;
    const isOfEach = own === undefined;
    const isPosition = path === "position";
    return [{ at, count, kind, isOfEach, isPosition, threshold: own ?? field.precision * rounding }];
  });
}
