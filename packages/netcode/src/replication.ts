import type { EntityDefinition } from "@paceline/protocol";
import { angleDifference } from "./angle.js";
import { extrapolate, fieldError } from "./dead-reckoning.js";

/** When an entity is sent; the profile gives these, a definition may override the thresholds and the heartbeat. */
export interface ReplicationPolicy {
  /** Never two updates of an entity within this time. */
  readonly minIntervalMs: number;
  /** An entity is sent at least this often. */
  readonly heartbeatMs: number;
  /** A moving one at least this often: well within the time for which receivers move it on by themselves. */
  readonly movingHeartbeatMs: number;
  readonly positionThresholdM: number;
  readonly headingThresholdRad: number;
}

/** An update may leave this much before its interval is over: steps of the game never meet it exactly. */
const INTERVAL_SLACK_MS = 2;

/**
 * The owner's view of one entity at its receivers: it continues the state that was sent last as they do, and says
 * when that is wrong by more than the threshold.
 */
export class Replica {
  readonly #definition: EntityDefinition;
  readonly #sent: Float32Array;
  readonly #expected: Float32Array;
  readonly #previous: Float32Array;
  #previousTick: number | undefined;
  #sentTick = 0;
  #sentAtMs = Number.NEGATIVE_INFINITY;

  constructor(definition: EntityDefinition) {
    this.#definition = definition;
    const width = definition.components.length;
    this.#sent = new Float32Array(width);
    this.#expected = new Float32Array(width);
    this.#previous = new Float32Array(width);
  }

  /** Fills in velocity and turn rate where the game does not write them: call once per tick, after its writes. */
  derive(state: Float32Array, tick: number, tickSeconds: number): void {
    const layout = this.#definition.motionLayout;
    if (!layout) return;
    const seconds = this.#previousTick === undefined ? 0 : ((tick - this.#previousTick) | 0) * tickSeconds;
    if (seconds > 0) {
      if (!layout.isVelocityDeclared) {
        for (let axis = 0; axis < layout.dimensions; axis++) {
          const moved = state[layout.position + axis]! - this.#previous[layout.position + axis]!;
          state[layout.velocity + axis] = moved / seconds;
        }
      }
      if (layout.heading !== undefined) {
        state[layout.turnRate!] =
          angleDifference(state[layout.heading]!, this.#previous[layout.heading]!) / seconds;
      }
    }
    if (seconds !== 0 || this.#previousTick === undefined) {
      this.#previous.set(state);
      this.#previousTick = tick;
    }
  }

  /** Whether the state has to be sent at this tick. */
  isDue(
    state: Float32Array,
    tick: number,
    tickSeconds: number,
    nowMs: number,
    policy: ReplicationPolicy,
  ): boolean {
    const ageMs = nowMs - this.#sentAtMs;
    if (ageMs < policy.minIntervalMs - INTERVAL_SLACK_MS) return false;
    const heartbeatMs = this.#definition.heartbeatMs ?? policy.heartbeatMs;
    if (ageMs >= (this.#isMoving(state) ? Math.min(heartbeatMs, policy.movingHeartbeatMs) : heartbeatMs))
      return true;
    extrapolate(this.#definition, this.#sent, ((tick - this.#sentTick) | 0) * tickSeconds, this.#expected);
    for (const field of Object.keys(this.#definition.fields)) {
      const threshold = this.#thresholdOf(field, policy);
      if (fieldError(this.#definition, field, state, this.#expected) > threshold) return true;
    }
    return false;
  }

  /** The state went out at this tick. */
  sent(state: Float32Array, tick: number, nowMs: number): void {
    this.#sent.set(state);
    this.#sentTick = tick;
    this.#sentAtMs = nowMs;
  }

  #thresholdOf(field: string, policy: ReplicationPolicy): number {
    const own = this.#definition.threshold[field];
    if (own !== undefined) return own;
    const layout = this.#definition.motionLayout;
    if (layout && field === "position") return policy.positionThresholdM;
    if (layout && field === "heading") return policy.headingThresholdRad;
    // Velocity is judged by where it leads: by the position's error.
    if (layout?.isVelocityDeclared && field === "velocity") return Number.POSITIVE_INFINITY;
    // A change of half a step of precision or less cannot be told from no change.
    return this.#definition.fields[field]!.precision / 2;
  }

  #isMoving(state: Float32Array): boolean {
    const layout = this.#definition.motionLayout;
    if (!layout) return false;
    for (let axis = 0; axis < layout.dimensions; axis++) {
      if (state[layout.velocity + axis] !== 0 || this.#sent[layout.velocity + axis] !== 0) return true;
    }
    return layout.turnRate !== undefined && state[layout.turnRate] !== 0;
  }
}
