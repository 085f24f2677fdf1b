import type { EntityDefinition } from "@paceline/protocol";
import { angleDifference } from "./angle.js";
import { isInterpolated } from "./interpolation/is-interpolated.js";
import { Kinematics } from "./reckoning/kinematics.js";
import { Publication, type PublicationPolicy, type PublicationReason } from "./reckoning/publication.js";
import { reckoningModelOf } from "./reckoning/step-model.js";
import type { MotionFault } from "./reckoning/remote-body.js";

/** An update may leave this much before its interval is over: steps of the game never meet it exactly. */
const INTERVAL_SLACK_MS = 2;

export interface ReplicaOptions {
  readonly definition: EntityDefinition;
  /** Seconds of one simulation tick. */
  readonly tickSeconds: number;
  /** Told once when the model fails, and again after it has worked in between. */
  readonly onFault?: (fault: MotionFault) => void;
}

/** A field that is no part of motion: its components, and how far they may be off. */
interface PlainField {
  readonly at: number;
  readonly count: number;
  readonly isAngle: boolean;
  readonly threshold: number;
}

/**
 * One entity at its owner: derives what the game does not write, and says when it has to be sent, because receivers
 * will be wrong about its motion, because another field has changed, or because it was not sent for long.
 */
export class Replica {
  readonly #options: ReplicaOptions;
  readonly #publication: Publication | undefined;
  readonly #kinematics: Kinematics | undefined;
  readonly #plain: readonly PlainField[];
  readonly #sent: Float32Array;
  #sentAtMs = Number.NEGATIVE_INFINITY;
  #reason: PublicationReason = "first";
  #isFaulty = false;

  constructor(options: ReplicaOptions) {
    const { definition, tickSeconds } = options;
    this.#options = options;
    const { motionLayout: layout } = definition;
    const width = definition.components.length;
    this.#sent = new Float32Array(width);
    this.#plain = plainFields(definition);
    if (!layout) return;
    this.#publication = new Publication({ layout, model: reckoningModelOf(definition), tickSeconds }, width);
    // What the game writes itself is not derived.
    const derived = layout.isAccelerationDeclared ? { ...layout, acceleration: undefined } : layout;
    this.#kinematics = new Kinematics(derived, { isVelocityGiven: layout.isVelocityDeclared });
  }

  /** Fills in what the game does not write: call once per tick, after its writes. */
  derive(state: Float32Array, tick: number): void {
    this.#kinematics?.derive(state, tick, this.#options.tickSeconds);
  }

  /** Whether the state has to be sent at this tick. */
  isDue(state: Float32Array, tick: number, nowMs: number, policy: PublicationPolicy): boolean {
    const { definition } = this.#options;
    const ageMs = nowMs - this.#sentAtMs;
    if (ageMs < policy.minIntervalMs - INTERVAL_SLACK_MS) return false;
    const heartbeatMs = definition.heartbeatMs ?? policy.heartbeatMs;
    const ofMotion = this.#motionReason(state, tick, { ...policy, heartbeatMs });
    const isPlain = ofMotion === undefined && this.#hasPlainChange(state);
    this.#reason = ofMotion ?? (isPlain ? "field" : "heartbeat");
    return ofMotion !== undefined || isPlain || ageMs >= heartbeatMs;
  }

  /** The state went out at this tick. */
  sent(state: Float32Array, tick: number, nowMs: number): void {
    this.#sent.set(state);
    this.#sentAtMs = nowMs;
    this.#publication?.sent(state, tick, this.#reason);
  }

  #motionReason(state: Float32Array, tick: number, policy: PublicationPolicy): PublicationReason | undefined {
    if (!this.#publication) return undefined;
    const { threshold } = this.#options.definition;
    try {
      const reason = this.#publication.due(state, tick, {
        ...policy,
        isInterpolated: isInterpolated(this.#options.definition, policy.isInterpolated === true),
        // The interval is one of real time, and over.
        minIntervalMs: 0,
        positionThresholdM: threshold.position ?? policy.positionThresholdM,
        headingThresholdRad: threshold.heading ?? policy.headingThresholdRad,
      });
      if (Number.isNaN(this.#publication.error.positionM)) this.#fail({ kind: "not-finite" });
      else this.#isFaulty = false;
      return reason;
    } catch (cause) {
      this.#fail({ kind: "threw", cause });
      // Where there is no prediction, none is good enough.
      return "position";
    }
  }

  #fail(fault: MotionFault): void {
    if (!this.#isFaulty) this.#options.onFault?.(fault);
    this.#isFaulty = true;
  }

  #hasPlainChange(state: Float32Array): boolean {
    return this.#plain.some(({ at, count, isAngle, threshold }) => {
      let squares = 0;
      for (let index = at; index < at + count; index++) {
        const [now, before] = [state[index]!, this.#sent[index]!];
        squares += (isAngle ? angleDifference(now, before) : now - before) ** 2;
      }
      return Math.sqrt(squares) > threshold;
    });
  }
}

function plainFields(definition: EntityDefinition): PlainField[] {
  const { fields, offsets, threshold, motionLayout: layout } = definition;
  return Object.entries(fields).flatMap(([name, { kind, precision }]) => {
    const at = offsets[name]!;
    const own = threshold[name];
    if (layout && (at === layout.position || at === layout.heading)) return [];
    // Velocity and acceleration are judged by where they lead: by the position's error.
    const isRate = layout && (at === layout.velocity || at === layout.acceleration);
    if (isRate && own === undefined) return [];
    const count = kind === "vec2" ? 2 : kind === "vec3" ? 3 : 1;
    // A change of half a step of precision or less cannot be told from no change.
    return [{ at, count, isAngle: kind === "angle", threshold: own ?? precision / 2 }];
  });
}
