import { ConfigError, type EntityDefinition } from "@paceline/protocol";
import { wrapAngle } from "@paceline/netcode";

/** Limits of an entity's motion. Omitted ones are not checked. */
export interface MotionLimits {
  /** m/s. */
  readonly maxSpeed?: number;
  /** m/s², of the velocity that the player writes. */
  readonly maxAcceleration?: number;
  /** rad/s. */
  readonly maxTurnRate?: number;
  /** m: farther in one update is a teleport, however long ago the last one was. */
  readonly maxStep?: number;
  /**
   * Whether an entity may be there: inside of no wall, on the map. `from` is where it was before, for the way between;
   * the same as `to` for one that is new. Asked last, and only of what the other limits let pass. Both are rounded to the
   * field's precision: a player that stands at a wall may be half a step inside of it.
   */
  readonly positionAllowed?: (to: Position, from: Position) => boolean;
  /** Seconds of motion that may come at once, since updates come late and together. Default 0.5 s. */
  readonly toleranceSeconds?: number;
}

/** A place in the game's units; `z` is 0 where positions have two coordinates. */
export interface Position {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

/** The implausible quantity. `position`: an impossible place. */
export type Breach = "speed" | "acceleration" | "turn" | "teleport" | "rate" | "position";

const DEFAULT_TOLERANCE_SECONDS = 0.5;
/** A step too many is nobody's fault, and rounding is not either. */
const SLACK = 1.05;
/** Changes add up to so many steps before they are looked at: then rounding is no more than the slack of them. */
const LEAST_STEPS = 1 / (SLACK - 1);

/**
 * An amount that refills at a rate, by the server's time: what a client says of its own time is not asked. Late updates
 * that come together are paid from what was saved meanwhile.
 */
export class RateCheck {
  readonly #perSecond: number;
  readonly #most: number;
  #left: number;
  #atSeconds: number | undefined;

  /** @param most what may come at once; rate of fire: at least one shot */
  constructor(perSecond: number, most: number) {
    if (!(perSecond > 0) || !(most > 0)) {
      throw new ConfigError({
        field: "perSecond, most",
        value: `${perSecond}, ${most}`,
        expected: "above 0",
      });
    }
    this.#perSecond = perSecond;
    this.#most = most;
    this.#left = most;
  }

  /** Whether so much is plausible now; what is not is not paid for. */
  take(amount: number, nowSeconds: number): boolean {
    const elapsed = Math.max(0, nowSeconds - (this.#atSeconds ?? nowSeconds));
    this.#atSeconds = nowSeconds;
    this.#left = Math.min(this.#most, this.#left + elapsed * this.#perSecond);
    if (!(amount <= this.#left)) return false;
    this.#left -= amount;
    return true;
  }
}

/**
 * How fast some components change. Values come rounded to their steps, so small changes are summed up before they are
 * looked at: of a slow entity that goes across the steps, the rounded way is much longer than its own.
 */
class ChangeCheck {
  readonly #rate: RateCheck;
  readonly #at: number;
  readonly #isAngle: boolean;
  readonly #leastChange: number;
  /** Changes that were not looked at. */
  readonly #sum: Float64Array;

  constructor(
    { components, fields, offsets }: EntityDefinition,
    {
      field,
      perSecond,
      toleranceSeconds,
    }: Readonly<{ field: string; perSecond: number; toleranceSeconds: number }>,
  ) {
    const { kind } = fields[field]!;
    this.#at = offsets[field]!;
    this.#isAngle = kind === "angle";
    this.#sum = new Float64Array(this.#isAngle ? 1 : kind === "vec3" ? 3 : 2);
    this.#leastChange = LEAST_STEPS * roundingOf(components, this.#at, this.#sum.length);
    const most = perSecond * SLACK * toleranceSeconds + this.#leastChange;
    this.#rate = new RateCheck(perSecond * SLACK, most);
  }

  /** Whether a change is plausible now; one that is not is forgotten. */
  take(before: Float32Array, after: Float32Array, nowSeconds: number): boolean {
    const sum = this.#sum.map((part, axis) => {
      const change = after[this.#at + axis]! - before[this.#at + axis]!;
      return part + (this.#isAngle ? wrapAngle(change) : change);
    });
    const size = Math.hypot(...sum);
    const isLookedAt = !(size <= this.#leastChange);
    if (isLookedAt && !this.#rate.take(size, nowSeconds)) return false;
    this.#sum.set(isLookedAt ? new Float64Array(sum.length) : sum);
    return true;
  }
}

/** How much longer or shorter a change of components may be by rounding: half a step at both ends of each. */
function roundingOf(components: EntityDefinition["components"], at: number, count: number): number {
  return Math.hypot(...components.slice(at, at + count).map(({ precision }) => precision));
}

/** Whether an entity moves as its kind can, update by update. */
export class MotionCheck {
  readonly #definition: EntityDefinition;
  readonly #limits: MotionLimits;
  readonly #rates: readonly (readonly [Breach, ChangeCheck])[];
  readonly #maxStep: number;

  constructor(definition: EntityDefinition, limits: MotionLimits) {
    assertLimits(definition, limits);
    this.#definition = definition;
    this.#limits = limits;
    const { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS, maxStep = Number.POSITIVE_INFINITY } = limits;
    const rates = [
      ["speed", "position", limits.maxSpeed],
      ["acceleration", "velocity", limits.maxAcceleration],
      ["turn", "heading", limits.maxTurnRate],
    ] as const;
    this.#rates = rates.flatMap(([breach, field, perSecond]) =>
      perSecond === undefined
        ? []
        : [[breach, new ChangeCheck(definition, { field, perSecond, toleranceSeconds })] as const],
    );
    const { components, offsets } = definition;
    this.#maxStep =
      maxStep < Infinity ? maxStep + roundingOf(components, offsets.position!, this.#dimensions) : maxStep;
  }

  get #dimensions(): number {
    return this.#definition.fields.position?.kind === "vec3" ? 3 : 2;
  }

  /** Finds the implausible quantity in the change from one state to the next, by the server's time. */
  breach(before: Float32Array, after: Float32Array, nowSeconds: number): Breach | undefined {
    if (this.#wayOf(before, after) > this.#maxStep) return "teleport";
    for (const [breach, check] of this.#rates) if (!check.take(before, after, nowSeconds)) return breach;
    return this.allows(after, before) ? undefined : "position";
  }

  /** Whether an entity that nobody was told of for so long may be there: its velocity is only what its player says. */
  allowsAhead(before: Float32Array, ahead: Float32Array, seconds: number): boolean {
    const { maxSpeed = Number.POSITIVE_INFINITY } = this.#limits;
    const way = this.#wayOf(before, ahead);
    if (way > Math.min(this.#maxStep, maxSpeed * SLACK * seconds)) return false;
    return this.allows(ahead, before);
  }

  /** Whether an entity may be where a state says; one that is new comes from there. */
  allows(after: Float32Array, before = after): boolean {
    const { positionAllowed } = this.#limits;
    return !positionAllowed || positionAllowed(this.#positionOf(after), this.#positionOf(before));
  }

  #wayOf(before: Float32Array, after: Float32Array): number {
    const { position } = this.#definition.offsets;
    return position === undefined ? 0 : distance(before, after, position, this.#dimensions);
  }

  #positionOf(state: Float32Array): Position {
    const at = this.#definition.offsets.position!;
    return { x: state[at]!, y: state[at + 1]!, z: this.#dimensions === 3 ? state[at + 2]! : 0 };
  }
}

function distance(before: Float32Array, after: Float32Array, at: number, size: number): number {
  let squares = 0;
  for (let index = at; index < at + size; index++) squares += (after[index]! - before[index]!) ** 2;
  return Math.sqrt(squares);
}

/** A limit needs the field that it is about. */
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
    if (!isThere) throw new ConfigError({ field: limit, value, expected: `a field ${field} of ${name}` });
    if (typeof value === "function") continue;
    if (limit === "positionAllowed") throw new ConfigError({ field: limit, value, expected: "a function" });
    if (!(value > 0)) throw new ConfigError({ field: limit, value, expected: "above 0" });
  }
}
