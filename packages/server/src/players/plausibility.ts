import { ConfigError, type EntityDefinition } from "@paceline/protocol";

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
   * the same as `to` for one that is new. Asked last, and only of what the other limits let pass.
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
/** Rounding and a step too many are nobody's fault. */
const SLACK = 1.05;

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

/** Whether an entity moves as its kind can, update by update. */
export class MotionCheck {
  readonly #definition: EntityDefinition;
  readonly #limits: MotionLimits;
  readonly #way: RateCheck | undefined;
  readonly #change: RateCheck | undefined;
  readonly #turn: RateCheck | undefined;

  constructor(definition: EntityDefinition, limits: MotionLimits) {
    assertLimits(definition, limits);
    this.#definition = definition;
    this.#limits = limits;
    const { toleranceSeconds = DEFAULT_TOLERANCE_SECONDS } = limits;
    const bucket = (rate: number | undefined): RateCheck | undefined =>
      rate === undefined ? undefined : new RateCheck(rate * SLACK, rate * SLACK * toleranceSeconds);
    this.#way = bucket(limits.maxSpeed);
    this.#change = bucket(limits.maxAcceleration);
    this.#turn = bucket(limits.maxTurnRate);
  }

  /** Finds the implausible quantity in the change from one state to the next, by the server's time. */
  breach(before: Float32Array, after: Float32Array, nowSeconds: number): Breach | undefined {
    const { offsets, fields } = this.#definition;
    const way = distance(before, after, offsets.position!, fields.position?.kind === "vec3" ? 3 : 2);
    if (way > (this.#limits.maxStep ?? Number.POSITIVE_INFINITY)) return "teleport";
    if (this.#way && !this.#way.take(way, nowSeconds)) return "speed";
    if (this.#change) {
      const size = fields.velocity?.kind === "vec3" ? 3 : 2;
      if (!this.#change.take(distance(before, after, offsets.velocity!, size), nowSeconds))
        return "acceleration";
    }
    if (this.#turn) {
      const at = offsets.heading!;
      const raw = Math.abs(after[at]! - before[at]!) % (2 * Math.PI);
      if (!this.#turn.take(Math.min(raw, 2 * Math.PI - raw), nowSeconds)) return "turn";
    }
    return this.allows(after, before) ? undefined : "position";
  }

  /** Whether an entity that nobody was told of for so long may be there: its velocity is only what its player says. */
  allowsAhead(before: Float32Array, ahead: Float32Array, seconds: number): boolean {
    const { maxSpeed, maxStep = Number.POSITIVE_INFINITY } = this.#limits;
    if (maxSpeed !== undefined || maxStep < Number.POSITIVE_INFINITY) {
      const { offsets, fields } = this.#definition;
      const way = distance(before, ahead, offsets.position!, fields.position?.kind === "vec3" ? 3 : 2);
      if (way > Math.min(maxStep, (maxSpeed ?? Number.POSITIVE_INFINITY) * SLACK * seconds)) return false;
    }
    return this.allows(ahead, before);
  }

  /** Whether an entity may be where a state says; one that is new comes from there. */
  allows(after: Float32Array, before = after): boolean {
    const { positionAllowed } = this.#limits;
    return !positionAllowed || positionAllowed(this.#positionOf(after), this.#positionOf(before));
  }

  #positionOf(state: Float32Array): Position {
    const { offsets, fields } = this.#definition;
    const at = offsets.position!;
    return { x: state[at]!, y: state[at + 1]!, z: fields.position?.kind === "vec3" ? state[at + 2]! : 0 };
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
