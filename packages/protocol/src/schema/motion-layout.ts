import { axes, componentCount, derivedComponent, type Component } from "./entity-components.js";
import type { Fields } from "./entity-definition.js";
import type { Field, Vec2Field, Vec3Field } from "./entity-fields.js";
import { ConfigError } from "../errors/errors.js";

const used = new Set<MotionModel>();

/** The models of all entities that were described. Without one, a client needs no code that moves them. */
export function usedMotions(): ReadonlySet<MotionModel> {
  return used;
}

/** Names of the motion models. */
export const motionModels = ["hold", "velocity", "acceleration", "turn", "history", "step"] as const;
/**
 * The way receivers continue an entity between updates. The owner runs the same model and sends when the
 * result is wrong (dead reckoning, IEEE 1278.1).
 *
 * - `hold`: the entity stays.
 * - `velocity`: straight on with constant velocity; `heading` with constant turn rate, as in the models
 * below.
 * - `acceleration`: with constant acceleration, in world axes.
 * - `turn`: along an arc, with a change of speed that fades: for cars and planes.
 * - `history`: along the last three positions; only the pose is sent.
 * - `step`: by the game's own model, the option `step`; only the fields are sent.
 */
export type MotionModel = (typeof motionModels)[number];

const showStyles = ["extrapolate", "interpolate"] as const;
/**
 * The way receivers show an entity.
 *
 * - `extrapolate`: at its present pose as the motion model predicts it. The owner sends when the prediction
 * is off by more than the threshold.
 * - `interpolate`: between two of its states, a little in the past (`room.clock.renderNow()`). The owner
 * sends at the profile's rate while the entity moves.
 */
export type ShowStyle = (typeof showStyles)[number];

/** Component indices of the values that motion changes, in m, m/s, m/s², rad and rad/s. */
export interface MotionLayout {
  readonly position: number;
  readonly dimensions: 2 | 3;
  readonly velocity: number | undefined;
  /** True if the game writes `velocity`. Otherwise it is derived from positions and ticks. */
  readonly isVelocityDeclared: boolean;
  readonly acceleration: number | undefined;
  readonly isAccelerationDeclared: boolean;
  readonly heading: number | undefined;
  readonly turnRate: number | undefined;
  /** Smallest and largest coordinate. Predictions are clamped to it. */
  readonly positionRange: readonly [min: number, max: number];
}

/** Input of {@link layoutMotion}, which appends the derived components to `components`. */
interface MotionSource {
  readonly fields: Fields;
  readonly motion: MotionModel;
  readonly offsets: Readonly<Record<string, number>>;
  readonly components: Component[];
}

/** Bound of derived rates: far above any game, but finite, so that receivers can check it. */
const DERIVED_MAX = 1e6;

/**
 * Precision of derived rates, as a multiple of the precision of their source field. Entities are continued
 * for up to half a second. Over that time, half a step of a rate adds an error of a quarter of a position
 * step (velocity), 3 position steps (acceleration: 1 cm gives 0.5 m/s² and 3 cm), or one heading step (turn
 * rate).
 */
const RATE_STEPS = { velocity: 1, acceleration: 50, turnRate: 4 } as const;

/** Finds the fields that motion changes, and adds the derived components. Returns undefined for `hold`. */
export function layoutMotion(name: string, parts: MotionSource): MotionLayout | undefined {
  const { fields, motion, offsets, components } = parts;
  assertMotion(name, motion);
  if (motion === "hold") return undefined;
  used.add(motion);
  const position = positionOf(name, parts);
  const dimensions = componentCount(position) as 2 | 3;
  const isDeclared = (field: string): boolean => fields[field]?.kind === position.kind;
  const vector = (field: "velocity" | "acceleration", unit: string): number => {
    if (isDeclared(field)) return offsets[field]!;
    const names = axes.slice(0, dimensions).map((axis) => `${field}.${axis}`);
    const step = position.precision * RATE_STEPS[field];
    return (
      components.push(...names.map((each) => derivedComponent(each, unit, DERIVED_MAX, step))) - dimensions
    );
  };
  // Motion `history` and `step` use only rates that the game declares.
  const isDeriving = motion !== "history" && motion !== "step";
  const velocity = isDeriving || isDeclared("velocity") ? vector("velocity", "m/s") : undefined;
  const isAccelerated = motion === "acceleration" || motion === "turn";
  const acceleration = isAccelerated ? vector("acceleration", "m/s²") : undefined;
  const heading = fields.heading?.kind === "angle" ? offsets.heading : undefined;
  const isTurning = heading !== undefined && isDeriving;
  return {
    position: offsets.position!,
    dimensions,
    velocity,
    isVelocityDeclared: isDeclared("velocity") && isWritten(fields.velocity),
    acceleration,
    isAccelerationDeclared: isDeclared("acceleration") && isWritten(fields.acceleration),
    heading,
    turnRate: isTurning ? components.push(turnRateOf(fields.heading!)) - 1 : undefined,
    positionRange: position.range,
  };
}

function turnRateOf(heading: Field): Component {
  return derivedComponent("turnRate", "rad/s", DERIVED_MAX, heading.precision * RATE_STEPS.turnRate);
}

/** True if the game writes the field and it is sent. Otherwise the owner derives it. */
function isWritten(field: Field | undefined): boolean {
  return field !== undefined && !("derivedFrom" in field && field.derivedFrom !== undefined);
}

/**
 * Throws {@link ConfigError} for an unknown style, and for any style with motion `hold`, which keeps the
 * newest state only.
 */
export function assertShow(name: string, show: ShowStyle | undefined, motion: MotionModel): void {
  if (show === undefined) return;
  if (!showStyles.includes(show)) {
    throw new ConfigError(`${name}.show`, show, `one of ${showStyles.join(", ")}`);
  }
  if (motion !== "hold") return;
  throw new ConfigError(`${name}.show`, show, `nothing, since motion is "hold"`);
}

function assertMotion(name: string, motion: MotionModel): void {
  if (motionModels.includes(motion)) return;
  throw new ConfigError(`${name}.motion`, motion, `one of ${motionModels.join(", ")}`);
}

function positionOf(name: string, { fields, motion }: MotionSource): Vec2Field | Vec3Field {
  const { position } = fields;
  if (position?.kind === "vec2" || position?.kind === "vec3") return position;
  throw new ConfigError(`${name}.position`, position?.kind, `a vec2 or vec3, since motion is "${motion}"`);
}
