import { ConfigError } from "./errors.js";
import type { Field, FlagField, Vec2Field, Vec3Field } from "./entity-fields.js";
import { axes, componentCounts, layoutMotion, type MotionLayout, type MotionModel } from "./motion-layout.js";
import { limits } from "./codes.js";

/** The fields of an entity by name, in wire order. */
export type Fields = Readonly<Record<string, Field>>;

/** An entity's fields as a game's model sees them; vectors are written component by component. */
export type StepState<F extends Fields> = {
  -readonly [Name in keyof F]: F[Name] extends Vec2Field
    ? { x: number; y: number }
    : F[Name] extends Vec3Field
      ? { x: number; y: number; z: number }
      : F[Name] extends FlagField
        ? boolean
        : number;
};

/** A model of the game, see {@link EntityOptions.step}. */
export type StepFunction<F extends Fields = Fields> = (state: StepState<F>, seconds: number) => void;

/** How an entity moves between updates, and when its owner sends it. */
export interface EntityOptions<F extends Fields> {
  /**
   * Default `hold`. The others need a field `position` (vec2 or vec3); `velocity` and `acceleration` of the same kind
   * and `heading` (angle) are used where they exist, and derived where the model needs them and they do not.
   */
  readonly motion?: MotionModel;
  /**
   * The game's own model, for motion `step`: moves the state on by so many seconds (a simulation step, or a part of one),
   * with nothing but what is in the state, in the same way on every machine. Owner and receivers both call it.
   */
  readonly step?: StepFunction<F>;
  /**
   * Per field, in its unit: the owner sends when what receivers show is off by more. Default: the profile's for
   * position and heading, a field's precision for the others.
   */
  readonly threshold?: { readonly [Name in keyof F]?: number };
  /** An update is sent at least this often, changed or not. Default: the profile's. */
  readonly heartbeatMs?: number;
}

/** One number of an entity on the wire: a Float32. */
export interface Component {
  /** `position.x`, `heading`; derived ones are called `velocity.x` and `turnRate`. */
  readonly name: string;
  readonly kind: "number" | "angle" | "int" | "flag";
  readonly min: number;
  readonly max: number;
  readonly unit: string;
}

/** A described kind of entity. Everything else (storage, codec, tables) is derived from it. */
export interface EntityDefinition<F extends Fields = Fields> {
  readonly name: string;
  readonly fields: F;
  readonly motion: MotionModel;
  /** The game's model, where motion is `step`. Its argument has the definition's own fields. */
  readonly step: ((state: never, seconds: number) => void) | undefined;
  readonly threshold: Readonly<Partial<Record<string, number>>>;
  readonly heartbeatMs: number | undefined;
  /** Declared components in wire order, then the derived ones that the motion model needs. */
  readonly components: readonly Component[];
  /** Index of each field's first component. */
  readonly offsets: Readonly<Record<string, number>>;
  /** Where motion finds what it moves; undefined for `hold`. */
  readonly motionLayout: MotionLayout | undefined;
  /** 32 bits over everything that both sides must agree on. */
  readonly schemaHash: number;
}

const reserved: ReadonlySet<string> = new Set([
  "id",
  "owner",
  "isMine",
  "shown",
  "lastTick",
  "ageMs",
  "turnRate",
]);

/** Describes a kind of entity. Throws {@link ConfigError} for a bad name, field, threshold or motion. */
export function defineEntity<const F extends Fields>(
  name: string,
  fields: F,
  options: EntityOptions<F> = {},
): EntityDefinition<F> {
  assertName("entity name", name);
  const components: Component[] = [];
  const offsets: Record<string, number> = {};
  for (const [fieldName, field] of Object.entries(fields)) {
    assertName(`${name} field name`, fieldName);
    if (reserved.has(fieldName)) {
      throw new ConfigError({
        field: `${name}.${fieldName}`,
        value: fieldName,
        expected: "a name that is not reserved",
      });
    }
    offsets[fieldName] = components.length;
    components.push(...componentsOf(fieldName, field));
  }
  if (components.length === 0)
    throw new ConfigError({ field: name, value: "no fields", expected: "at least one field" });
  const motion = options.motion ?? (options.step ? "step" : "hold");
  assertStep(name, motion, options.step);
  const motionLayout = layoutMotion(name, { fields, motion, offsets, components });
  assertThresholds(name, fields, options.threshold ?? {});
  assertHeartbeat(name, options.heartbeatMs);
  return Object.freeze({
    name,
    fields,
    motion,
    step: options.step,
    threshold: { ...options.threshold },
    heartbeatMs: options.heartbeatMs,
    components,
    offsets,
    motionLayout,
    schemaHash: hashOf(
      [name, motion, ...components.map((c) => `${c.name}:${c.kind}:${c.min}:${c.max}`)].join("|"),
    ),
  });
}

/** Number of components of a field. */
export function componentCount(field: Field): number {
  return componentCounts[field.kind];
}

function componentsOf(name: string, field: Field): Component[] {
  const [min, max] = field.range;
  const { unit } = field;
  switch (field.kind) {
    case "vec2":
    case "vec3":
      return axes
        .slice(0, componentCounts[field.kind])
        .map((axis) => ({ name: `${name}.${axis}`, kind: "number", min, max, unit }));
    case "scalar":
      return [{ name, kind: "number", min, max, unit }];
    case "angle":
    case "int":
    case "flag":
      return [{ name, kind: field.kind, min, max, unit }];
  }
}

function assertName(field: string, name: string): void {
  if (typeof name !== "string" || !/^[A-Za-z][A-Za-z0-9_-]*$/.test(name) || name.length > limits.nameBytes) {
    throw new ConfigError({
      field,
      value: name,
      expected: `1 to ${limits.nameBytes} letters, digits, - or _, a letter first`,
    });
  }
}

function assertThresholds(
  name: string,
  fields: Fields,
  threshold: Readonly<Record<string, number | undefined>>,
): void {
  for (const [field, value] of Object.entries(threshold)) {
    // An object has names of its own, such as toString, that are no fields.
    const known = Object.hasOwn(fields, field) ? fields[field] : undefined;
    if (known === undefined) {
      throw new ConfigError({
        field: `${name}.threshold.${field}`,
        value,
        expected: `one of ${Object.keys(fields).join(", ")}`,
      });
    }
    if (value === undefined || !(value > 0) || !Number.isFinite(value)) {
      throw new ConfigError({
        field: `${name}.threshold.${field}`,
        value,
        expected: `a number above 0 (${known.unit || "no unit"})`,
      });
    }
  }
}

/** A model belongs to motion `step`, and to no other. */
function assertStep(name: string, motion: MotionModel, step: unknown): void {
  if (motion === "step" ? typeof step === "function" : step === undefined) return;
  const expected = motion === "step" ? "a function (state, seconds)" : `nothing, since motion is "${motion}"`;
  throw new ConfigError({ field: `${name}.step`, value: step, expected });
}

function assertHeartbeat(name: string, heartbeatMs: unknown): void {
  if (heartbeatMs === undefined) return;
  if (typeof heartbeatMs === "number" && heartbeatMs >= 50 && heartbeatMs <= 60_000) return;
  throw new ConfigError({ field: `${name}.heartbeatMs`, value: heartbeatMs, expected: "50 to 60000 ms" });
}

/** FNV-1a, 32 bits (Fowler, Noll, Vo). */
function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
