import { axes, componentCount, derivedComponent, type Component } from "./entity-components.js";
import type { Fields } from "./entity-definition.js";
import type { Field, Vec2Field, Vec3Field } from "./entity-fields.js";
import { ConfigError } from "../errors/errors.js";

/** Names of the models. */
export const motionModels = ["hold", "velocity", "acceleration", "turn", "history", "step"] as const;
/**
 * The way receivers continue an entity between updates; the owner runs the same model and sends when it will be wrong
 * (dead reckoning, IEEE 1278.1).
 *
 * - `hold`: it stays.
 * - `velocity`: straight on with constant velocity; `heading` with constant turn rate, here and below.
 * - `acceleration`: with constant acceleration, in axes of the world.
 * - `turn`: along an arc, with a change of speed that fades: for what drives or flies.
 * - `history`: along the last three positions; nothing is sent but the pose.
 * - `step`: by the game's own model, the option `step`; nothing is sent but the fields.
 */
export type MotionModel = (typeof motionModels)[number];

/** Ways to show an entity between its states: `extrapolate` and `interpolate`. */
const showStyles = ["extrapolate", "interpolate"] as const;
/**
 * The way receivers show an entity.
 *
 * - `extrapolate`: where it is now, as far as its motion model can tell; sent when that is off by the threshold.
 * - `interpolate`: between two of its states, a little in the past (`room.clock.renderNow()`); sent at the profile's
 *   rate while it moves.
 */
export type ShowStyle = (typeof showStyles)[number];

/** Component indices of what motion moves; in m, m/s, m/s², rad and rad/s. */
export interface MotionLayout {
  readonly position: number;
  readonly dimensions: 2 | 3;
  readonly velocity: number | undefined;
  /** Whether the game writes `velocity` itself; otherwise it is derived from positions and ticks. */
  readonly isVelocityDeclared: boolean;
  readonly acceleration: number | undefined;
  readonly isAccelerationDeclared: boolean;
  readonly heading: number | undefined;
  readonly turnRate: number | undefined;
  /** Smallest and largest coordinate: a prediction stays within. */
  readonly positionRange: readonly [min: number, max: number];
}

/** The parts of a layout. `components` receives the derived ones. */
interface MotionParts {
  readonly fields: Fields;
  readonly motion: MotionModel;
  readonly offsets: Readonly<Record<string, number>>;
  readonly components: Component[];
}

/** Bound for derived rates: far above any game, finite for the check on receipt. */
const DERIVED_MAX = 1e6;

/**
 * Steps of derived rates, in steps of the field that they are derived from. Over the half second that entities are
 * continued for, half a step of each leads astray by: velocity a quarter of a step of the position; acceleration
 * 3 (1 cm makes 0.5 m/s² and 3 cm); turn rate one step of the heading.
 */
const RATE_STEPS = { velocity: 1, acceleration: 50, turnRate: 4 } as const;

/** Finds what motion moves among the fields and adds the components that are derived. */
export function layoutMotion(name: string, parts: MotionParts): MotionLayout | undefined {
  const { fields, motion, offsets, components } = parts;
  assertMotion(name, motion);
  if (motion === "hold") return undefined;
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
  // These two need no more than the game declares.
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

/** Whether the game writes it and it travels; otherwise the owner derives it. */
function isWritten(field: Field | undefined): boolean {
  return field !== undefined && !("derivedFrom" in field && field.derivedFrom !== undefined);
}

/** An entity that is known by its newest state alone cannot be interpolated. */
export function assertShow(name: string, show: ShowStyle | undefined, motion: MotionModel): void {
  if (show === undefined) return;
  if (!showStyles.includes(show)) {
    throw new ConfigError({
      field: `${name}.show`,
      value: show,
      expected: `one of ${showStyles.join(", ")}`,
    });
  }
  if (motion !== "hold") return;
  throw new ConfigError({ field: `${name}.show`, value: show, expected: `nothing, since motion is "hold"` });
}

function assertMotion(name: string, motion: MotionModel): void {
  if (motionModels.includes(motion)) return;
  throw new ConfigError({
    field: `${name}.motion`,
    value: motion,
    expected: `one of ${motionModels.join(", ")}`,
  });
}

function positionOf(name: string, { fields, motion }: MotionParts): Vec2Field | Vec3Field {
  const { position } = fields;
  if (position?.kind === "vec2" || position?.kind === "vec3") return position;
  throw new ConfigError({
    field: `${name}.position`,
    value: position?.kind,
    expected: `a vec2 or vec3, since motion is "${motion}"`,
  });
}
