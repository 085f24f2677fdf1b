import type { EntityDefinition, Leaf } from "@paceline/protocol";
import { angleDifference } from "../body/angle.js";
import { orientationErrorRad } from "../body/quaternion.js";
import { isInterpolated } from "../interpolation/is-interpolated.js";
import { Kinematics } from "../reckoning/kinematics.js";
import { SendDecision, type SendDecisionPolicy, type SendReason } from "../reckoning/send-decision.js";
import type { MotionFault } from "../reckoning/remote-body.js";
import { reckoningModelOf } from "../reckoning/step-model.js";
import { deriveVelocity, isVelocityDerived } from "./derived-velocity.js";

/** An update may leave this much before its interval is over: steps of the game never meet it exactly. */
const INTERVAL_SLACK_MS = 2;
/** Rounding alone makes half a step of difference, and Float32 a little more. */
const ROUNDING_STEPS = 0.51;
/**
 * An error of more thresholds is no more urgent: what is less wrong would never have its turn. So urgent is also what has
 * no measure, such as a first state.
 */
const MAX_URGENCY = 32;
const FAULT_URGENCY = 2;

export interface SentReplicaOptions {
  readonly definition: EntityDefinition;
  /** Seconds of one simulation tick. */
  readonly tickSeconds: number;
  /** Told once when the model fails, and again after it has worked in between. */
  readonly onFault?: ((fault: MotionFault) => void) | undefined;
}

/** A field that is no part of motion: its components, and how far they may be off. */
interface PlainField {
  readonly at: number;
  readonly count: number;
  readonly kind: "angle" | "quat" | "number";
  readonly threshold: number;
  /** The threshold is that of each component, which may be rounded; otherwise that of their distance. */
  readonly isOfEach: boolean;
}

type Own = { -readonly [Key in keyof SendDecisionPolicy]: SendDecisionPolicy[Key] };

/** Texts of an entity, in the order of its definition. */
export type EntityTexts = readonly (string | Uint8Array)[];

const NO_TEXTS: EntityTexts = [];

/** Derives what a game does not write of an entity's motion; undefined where there is nothing. One per entity. */
export function kinematicsOf({ motionLayout: layout }: EntityDefinition): Kinematics | undefined {
  if (!layout) return undefined;
  // Fields that the game writes are not derived.
  const derived = layout.isAccelerationDeclared ? { ...layout, acceleration: undefined } : layout;
  const isVelocityGiven = layout.isVelocityDeclared;
  const { acceleration, turnRate } = derived;
  // Nothing is left to derive.
  if (isVelocityGiven && acceleration === undefined && turnRate === undefined) return undefined;
  return new Kinematics(derived, { isVelocityGiven });
}

/**
 * One entity as its receivers know it: says when it has to be sent, because they will be wrong about its motion,
 * because another field has changed, or because it was not sent for long.
 */
export class SentReplica {
  /** All errors of its motion may be so much larger than its thresholds. */
  thresholdFactor = 1;
  readonly #options: SentReplicaOptions;
  readonly #decision: SendDecision | undefined;
  readonly #plain: readonly PlainField[];
  /** As receivers have it: quantised. */
  readonly #sent: Float32Array;
  readonly #isVelocityDerived: boolean;
  readonly #own: Own = {
    positionThresholdM: 0,
    headingThresholdRad: 0,
    horizonMs: 0,
    // The interval is one of real time, and looked at before.
    minIntervalMs: 0,
    heartbeatMs: 0,
    movingHeartbeatMs: 0,
    repeatAfterMs: 0,
    isInterpolated: false,
  };
  #sentTexts: EntityTexts = NO_TEXTS;
  #sentTick: number | undefined;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #reason: SendReason = "first";
  #isFaulty = false;

  constructor(options: SentReplicaOptions) {
    const { definition, tickSeconds } = options;
    this.#options = options;
    const { motionLayout: layout } = definition;
    const width = definition.components.length;
    this.#sent = new Float32Array(width);
    this.#plain = plainFields(definition);
    this.#isVelocityDerived = isVelocityDerived(definition);
    if (layout) {
      this.#decision = new SendDecision({ layout, model: reckoningModelOf(definition), tickSeconds }, width);
    }
  }

  get sentAtMs(): number {
    return this.#sentAtMs;
  }

  /**
   * Urgency of the state at this tick: 0 if it is not due, else its error in thresholds.
   */
  urgency(
    state: Float32Array,
    tick: number,
    nowMs: number,
    policy: SendDecisionPolicy,
    texts = NO_TEXTS,
  ): number {
    const { definition } = this.#options;
    const ageMs = nowMs - this.#sentAtMs;
    if (ageMs < policy.minIntervalMs - INTERVAL_SLACK_MS) return 0;
    const heartbeatMs = definition.heartbeatMs ?? policy.heartbeatMs;
    const ofMotion = this.#decision
      ? this.#motionUrgency(this.#decision, state, tick, this.#policyOf(policy, heartbeatMs))
      : 0;
    if (ofMotion > 0) return ofMotion;
    const isPlain = this.#hasPlainChange(state) || this.#hasOtherTexts(texts);
    this.#reason = isPlain ? "field" : "heartbeat";
    return isPlain || ageMs >= heartbeatMs ? 1 : 0;
  }

  /**
   * The state went out at this tick. `state`: as receivers read it, quantised; what they derive themselves is
   * filled in.
   */
  sent(state: Float32Array, tick: number, nowMs: number, texts = NO_TEXTS): void {
    if (this.#isVelocityDerived) {
      const ticks = this.#sentTick === undefined ? 0 : (tick - this.#sentTick) | 0;
      deriveVelocity(this.#options.definition, this.#sent, state, ticks * this.#options.tickSeconds);
    }
    this.#sent.set(state);
    if (texts.length > 0) this.#sentTexts = texts.slice();
    this.#sentTick = tick;
    this.#sentAtMs = nowMs;
    this.#decision?.sent(state, tick, this.#reason);
  }

  /** The entity was moved by force: its way there is no velocity. */
  teleported(): void {
    this.#sentTick = undefined;
  }

  /** The policy for this entity; the same object each time, since it is asked for at every tick. */
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
    // Nobody can be told more exactly than in steps.
    own.positionThresholdM = Math.max(
      (threshold.position ?? policy.positionThresholdM) * thresholdFactor,
      fields.position?.precision ?? 0,
    );
    own.headingThresholdRad = Math.max(
      (threshold.heading ?? policy.headingThresholdRad) * thresholdFactor,
      fields.heading?.precision ?? 0,
    );
    return own;
  }

  #motionUrgency(decision: SendDecision, state: Float32Array, tick: number, policy: Own): number {
    const { positionThresholdM, headingThresholdRad } = policy;
    try {
      const reason = decision.due(state, tick, policy);
      const { positionM, headingRad } = decision.error;
      if (Number.isNaN(positionM)) this.#fail({ kind: "not-finite" });
      else this.#isFaulty = false;
      if (reason === undefined) return 0;
      this.#reason = reason;
      const thresholds = Math.max(1, positionM / positionThresholdM, headingRad / headingThresholdRad);
      // NaN and Infinity say that there is no prediction.
      return Number.isFinite(thresholds) ? Math.min(thresholds, MAX_URGENCY) : MAX_URGENCY;
    } catch (cause) {
      this.#fail({ kind: "threw", cause });
      // A missing prediction is never good enough.
      this.#reason = "position";
      return FAULT_URGENCY;
    }
  }

  #fail(fault: MotionFault): void {
    if (!this.#isFaulty) this.#options.onFault?.(fault);
    this.#isFaulty = true;
  }

  #hasPlainChange(state: Float32Array): boolean {
    const sent = this.#sent;
    for (const { at, count, kind, threshold, isOfEach } of this.#plain) {
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

  #hasOtherTexts(texts: EntityTexts): boolean {
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
    // Velocity and acceleration are judged by where they lead: by the position's error.
    const isRate = layout && (at === layout.velocity || at === layout.acceleration);
    if (isRate && own === undefined) return [];
    const kind = field.kind === "angle" || field.kind === "quat" ? field.kind : "number";
    // A rotation's precision is that of the whole.
    const rounding = kind === "quat" ? 1 : ROUNDING_STEPS;
    const isOfEach = own === undefined;
    return [{ at, count, kind, isOfEach, threshold: own ?? field.precision * rounding }];
  });
}
