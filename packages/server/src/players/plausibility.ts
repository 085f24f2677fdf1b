import { ConfigError, type EntityDefinition } from "@paceline/protocol";
import { positionErrorM, wrapAngle } from "@paceline/netcode";
import { TokenBucket } from "@paceline/transport";

/** Limits of an entity's motion. Omitted ones are not checked. */
export interface MotionLimits {
  /** Highest speed, m/s. */
  readonly maxSpeed?: number;
  /** Highest acceleration, m/s², of the velocity that the player writes. */
  readonly maxAcceleration?: number;
  /** Highest turn rate, rad/s. */
  readonly maxTurnRate?: number;
  /** Longest distance in one update, m. A longer one is a teleport, however long ago the last update was. */
  readonly maxStep?: number;
  /**
   * Returns true if an entity may be at `to`: on the map, not inside a wall. `from` is its position before,
   * so that the path between them can be checked; it equals `to` for a new entity. Called last, for states that
   * pass the other limits. Both positions are rounded to the field's precision: a player at a wall may be
   * half a step inside it. An entity in the place of one that its player has ended is also checked from there.
   */
  readonly positionAllowed?: (to: Position, from: Position) => boolean;
  /** Motion that may arrive at once, s, because updates arrive late and together. Default 0.5. */
  readonly toleranceSeconds?: number;
}

/** A position in the game's units. `z` is 0 if positions have two coordinates. */
export interface Position {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/**
 * The implausible quantity. `position`: {@link MotionLimits.positionAllowed} refused the place. `spawn`: a player
 * has ended an entity, and begins the next one of the kind where the first could not be by now. The entity has
 * its new values during `onBreach`, so that a game can allow places to begin again.
 */
export type Breach = "speed" | "acceleration" | "turn" | "teleport" | "position" | "spawn";

const DEFAULT_TOLERANCE_SECONDS = 0.5;
/** Tolerance for one step too many and for rounding. */
const SLACK = 1.05;
/** Changes are summed up over this many precision steps before a check. Then rounding is within the slack. */
const LEAST_STEPS = 1 / (SLACK - 1);

/**
 * An amount that refills at a rate, by the server's clock: a client's own time is not trusted. Late updates
 * that arrive together are paid from the saved amount.
 */
export class RateCheck {
  readonly #perSecond: number;
  readonly #burst: number;
  #bucket: TokenBucket | undefined;

  /** @param most limit of what may arrive at once; for a rate of fire at least 1 */
  constructor(perSecond: number, most: number) {
    if (!(perSecond > 0) || !(most > 0)) {
      throw new ConfigError("perSecond, most", `${perSecond}, ${most}`, "above 0");
    }
    this.#perSecond = perSecond;
    this.#burst = most;
  }

  /**
   * Returns true and pays the amount if it is plausible now. Pays nothing if it is not.
   * @param sinceSeconds all that has been saved since this time counts, even beyond the limit
   */
  take(amount: number, nowSeconds: number, sinceSeconds = nowSeconds): boolean {
    const sinceMs = sinceSeconds * 1000;
    this.#bucket ??= new TokenBucket(this.#perSecond, this.#burst, sinceMs);
    return this.#bucket.takeSince(amount, sinceMs, nowSeconds * 1000);
  }
}

/**
 * Returns true if a change since `sinceSeconds`, or in an update, is plausible now. An implausible change is not
 * counted: later changes start from the last plausible one.
 */
type ChangeCheck = (
  before: Float32Array,
  after: Float32Array,
  nowSeconds: number,
  sinceSeconds?: number,
) => boolean;

/**
 * Limits the rate at which some components change. It sums up small changes before it checks them: values are
 * rounded to steps, so the path of a slow entity across the steps is much longer than its real one.
 */
function changeCheck(
  { components, fields, offsets }: EntityDefinition,
  field: string,
  perSecond: number,
  toleranceSeconds: number,
): ChangeCheck {
  const { kind } = fields[field]!;
  const at = offsets[field]!;
  const isAngle = kind === "angle";
  /** Sum of the changes since the last check. */
  let sum = new Float64Array(isAngle ? 1 : kind === "vec3" ? 3 : 2);
  const leastChange = LEAST_STEPS * roundingOf(components, at, sum.length);
  const rate = new RateCheck(perSecond * SLACK, perSecond * SLACK * toleranceSeconds + leastChange);
  return (before, after, nowSeconds, sinceSeconds) => {
    const changed = sum.map((part, axis) => {
      const change = after[at + axis]! - before[at + axis]!;
      return part + (isAngle ? wrapAngle(change) : change);
    });
    const size = Math.hypot(...changed);
    const isChecked = !(size <= leastChange);
    if (isChecked && !rate.take(size, nowSeconds, sinceSeconds)) return false;
    sum = isChecked ? new Float64Array(sum.length) : changed;
    return true;
  };
}

/** Returns the largest error of a change by rounding: half a step at both ends of each component. */
function roundingOf(components: EntityDefinition["components"], at: number, count: number): number {
  return Math.hypot(...components.slice(at, at + count).map(({ precision }) => precision));
}

/** Checks the motion of an entity against its limits, update by update. */
export class MotionCheck {
  readonly #definition: EntityDefinition;
  readonly #limits: MotionLimits;
  readonly #rates: readonly (readonly [Breach, ChangeCheck])[];
  readonly #maxStep: number;

  constructor(definition: EntityDefinition, limits: MotionLimits) {
    assertLimits(definition, limits);
    this.#definition = definition;
    this.#limits = limits;
    const { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, maxStep = Infinity } = limits;
    const rates = [
      ["speed", "position", limits.maxSpeed],
      ["acceleration", "velocity", limits.maxAcceleration],
      ["turn", "heading", limits.maxTurnRate],
    ] as const;
    this.#rates = rates.flatMap(([breach, field, perSecond]) =>
      perSecond === undefined
        ? []
        : [[breach, changeCheck(definition, field, perSecond, toleranceSeconds)] as const],
    );
    const { components, offsets } = definition;
    this.#maxStep =
      maxStep < Infinity ? maxStep + roundingOf(components, offsets.position!, this.#dimensions) : maxStep;
  }

  get #dimensions(): 2 | 3 {
    return this.#definition.fields.position?.kind === "vec3" ? 3 : 2;
  }

  /**
   * Returns the implausible quantity in the change from one state to the next, if any. Uses the server's
   * clock.
   */
  breach(before: Float32Array, after: Float32Array, nowSeconds: number): Breach | undefined {
    if (this.distanceOf(before, after) > this.#maxStep) return "teleport";
    for (const [breach, check] of this.#rates) if (!check(before, after, nowSeconds)) return breach;
    return this.allows(after, before) ? undefined : "position";
  }

  /** Returns true if an extrapolated entity may be at `ahead`. Its velocity is only the player's claim. */
  allowsAhead(before: Float32Array, ahead: Float32Array, seconds: number): boolean {
    const { maxSpeed = Infinity } = this.#limits;
    const distanceM = this.distanceOf(before, ahead);
    if (distanceM > Math.min(this.#maxStep, maxSpeed * SLACK * seconds)) return false;
    return this.allows(ahead, before);
  }

  /**
   * Returns true if an entity may begin now with the state `after`, in the place of one that ended with the
   * state `before`. All that it could have done since counts. It could have made many steps, so that the longest
   * step only counts without a highest speed.
   */
  allowsAgain(
    before: Float32Array,
    after: Float32Array,
    endedAtSeconds: number,
    nowSeconds: number,
  ): boolean {
    const isFar = this.#limits.maxSpeed === undefined && this.distanceOf(before, after) > this.#maxStep;
    const isPlausible =
      !isFar && this.#rates.every(([, check]) => check(before, after, nowSeconds, endedAtSeconds));
    return isPlausible && this.allows(after, before);
  }

  /**
   * Returns true if an entity may be at the position of a state. A new entity comes from the same position.
   */
  allows(after: Float32Array, before = after): boolean {
    const { positionAllowed } = this.#limits;
    return !positionAllowed || positionAllowed(this.#positionOf(after), this.#positionOf(before));
  }

  /** Returns the distance between the positions of two states, m. 0 for a kind without positions. */
  distanceOf(before: Float32Array, after: Float32Array): number {
    const { position } = this.#definition.offsets;
    return position === undefined
      ? 0
      : positionErrorM({ position, dimensions: this.#dimensions }, before, after);
  }

  #positionOf(state: Float32Array): Position {
    const at = this.#definition.offsets.position!;
    return { x: state[at]!, y: state[at + 1]!, z: this.#dimensions === 3 ? state[at + 2]! : 0 };
  }
}

/** Throws {@link ConfigError} if a limit is invalid, or if the definition lacks the field for it. */
function assertLimits({ name, fields }: EntityDefinition, limits: MotionLimits): void {
  const isVector = (field: string): boolean =>
    fields[field]?.kind === "vec2" || fields[field]?.kind === "vec3";
  const needed: readonly (readonly [keyof MotionLimits, string, boolean])[] = [
    ["maxSpeed", "position", isVector("position")],
    ["maxStep", "position", isVector("position")],
    ["positionAllowed", "position", isVector("position")],
    ["maxAcceleration", "velocity", isVector("velocity")],
    ["maxTurnRate", "heading", fields.heading?.kind === "angle"],
  ];
  for (const [limit, field, isThere] of needed) {
    const value = limits[limit];
    if (value === undefined) continue;
    if (!isThere) throw new ConfigError(limit, value, `a field ${field} of ${name}`);
    if (typeof value === "function") continue;
    if (limit === "positionAllowed") throw new ConfigError(limit, value, "a function");
    if (!(value > 0)) throw new ConfigError(limit, value, "above 0");
  }
}
