import { limits } from "../limits.js";
import { ComponentList, type Component, type Leaf } from "./entity-components.js";
import {
  assertField,
  type CollectionSite,
  type GroupField,
  type GrowingListField,
  type ListField,
  type MapField,
} from "./entity-composites.js";
import type { Field, QuatField, Vec2Field, Vec3Field } from "./entity-fields.js";
import type { ValueOf } from "./entity-values.js";
import { ConfigError, checkKeys } from "../errors/errors.js";
import {
  assertShow,
  layoutMotion,
  type MotionLayout,
  type MotionModel,
  type ShowStyle,
} from "./motion-layout.js";

/** The fields of an entity by name, in wire order. */
export type Fields = Readonly<Record<string, Field>>;

/** An entity's fields as the game's motion model gets them. It writes vectors component by component. */
export type StepState<F extends Fields> = { -readonly [Name in keyof F]: StepValue<F[Name]> };

/** One field as the game's motion model gets it: enums by name; text is read-only and not part of motion. */
type StepValue<F> = F extends Vec2Field
  ? { x: number; y: number }
  : F extends Vec3Field
    ? { x: number; y: number; z: number }
    : F extends QuatField
      ? { x: number; y: number; z: number; w: number }
      : F extends ListField<infer Item>
        ? StepValue<Item>[]
        : F extends GroupField<infer Members>
          ? { -readonly [Name in keyof Members]: StepValue<Members[Name]> }
          : F extends GrowingListField | MapField
            ? undefined
            : ValueOf<F>;

/** The game's motion model: see {@link EntityOptions.step}. */
export type StepFunction<F extends Fields = Fields> = (state: StepState<F>, seconds: number) => void;

/** Motion between updates, and the thresholds for sending. */
export interface EntityOptions<F extends Fields> {
  /**
   * The motion model. Default: `hold`, or `velocity` if {@link show} is `interpolate`. All models but `hold`
   * need a field `position` (vec2 or vec3). They use `velocity` and `acceleration` (of the same kind as
   * `position`) and `heading` (angle) if the entity has them, and derive missing rates if they need them.
   */
  readonly motion?: MotionModel;
  /**
   * The game's own model, for motion `step`: continues the state by `seconds` (a simulation step, or a part
   * of one). It must read nothing but the state, and return the same on every machine. Owner and receivers
   * both call it.
   */
  readonly step?: StepFunction<F>;
  /**
   * The way receivers show the entity. Default: the profile's; with the game's own motion model,
   * `extrapolate`.
   */
  readonly show?: ShowStyle;
  /**
   * Largest accepted error per field, in its unit. The owner sends if the shown value is off by more.
   * Default: the profile's for position and heading, half the precision of each component for other fields.
   */
  readonly threshold?: { readonly [Name in keyof F]?: number };
  /** Longest time between two sends, changed or not, ms. Default: the profile's. */
  readonly heartbeatMs?: number;
  /**
   * True: writing a value out of its field's range throws. Default: scalars and vectors are clamped, with one
   * warning.
   */
  readonly strict?: boolean;
}

/** A described kind of entity. Storage, codec and tables are derived from it. */
export interface EntityDefinition<F extends Fields = Fields> {
  readonly name: string;
  readonly fields: F;
  readonly motion: MotionModel;
  /** The way receivers show the entity; undefined if the profile decides. */
  readonly show: ShowStyle | undefined;
  /** The game's model if motion is `step`. Its argument has the definition's own fields. */
  readonly step: ((state: never, seconds: number) => void) | undefined;
  readonly threshold: Readonly<Partial<Record<string, number>>>;
  readonly heartbeatMs: number | undefined;
  /** True if writing a value out of range throws. */
  readonly isStrict: boolean;
  /** Declared components in wire order, then those derived for the motion model. */
  readonly components: readonly Component[];
  /**
   * Index of each field's first component. Members of lists and groups are named by path: `wheels.0.slip`.
   */
  readonly offsets: Readonly<Record<string, number>>;
  /** Fields that hold values, in wire order. Lists and groups are resolved into their members. */
  readonly leaves: readonly Leaf[];
  /** Number of text fields (string or bytes) in `leaves`. */
  readonly textCount: number;
  /** Lists and maps of changing length, which are no part of states. */
  readonly collections: readonly CollectionSite[];
  /** The components that motion changes; undefined for `hold`. */
  readonly motionLayout: MotionLayout | undefined;
  /**
   * Hash of everything that affects the coding of states, 32 bits. Two sides with equal hashes exchange no
   * columns.
   */
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
  "teleport",
  "viewDistanceM",
  "kind",
  "onChange",
]);
const OPTIONS = ["motion", "step", "show", "threshold", "heartbeatMs", "strict"];
const MAX_STATE_BYTES = 1000;

/** Describes a kind of entity. Throws {@link ConfigError} for a bad name, field, threshold or motion. */
export function defineEntity<const F extends Fields>(
  name: string,
  fields: F,
  options: EntityOptions<F> = {},
): EntityDefinition<F> {
  assertName("entity name", name);
  checkKeys(name, options, OPTIONS);
  const list = new ComponentList();
  const { components } = list;
  const offsets: Record<string, number> = {};
  const collections: CollectionSite[] = [];
  for (const [fieldName, field] of Object.entries(fields)) {
    assertName(`${name} field name`, fieldName);
    assertNotReserved(name, fieldName);
    assertField(`${name}.${fieldName}`, field);
    if ("newSite" in field) {
      collections.push(field.newSite(name, fieldName, field, collections));
      continue;
    }
    offsets[fieldName] = components.length;
    list.add(fieldName, field);
  }
  for (const { path, offset, count } of list.leaves) if (count > 0) offsets[path] = offset;
  assertSize(name, list, collections.length);
  const motion = options.motion ?? defaultMotion(options);
  assertShow(name, options.show, motion);
  assertStep(name, motion, options.step);
  const motionLayout = layoutMotion(name, { fields, motion, offsets, components });
  assertDerived(name, fields);
  assertThresholds(name, { fields, offsets }, options.threshold ?? {});
  assertHeartbeat(name, options.heartbeatMs);
  assertStrict(name, options.strict);
  return Object.freeze({
    name,
    fields,
    motion,
    show: options.show,
    step: options.step,
    threshold: { ...options.threshold },
    heartbeatMs: options.heartbeatMs,
    isStrict: options.strict ?? false,
    components,
    offsets,
    leaves: list.leaves,
    textCount: list.textCount,
    collections,
    motionLayout,
    schemaHash: hashOf(
      [name, motion, ...list.leaves.map(describeLeaf), ...collections.map(({ tag }) => `#${tag}`)].join("|"),
    ),
  });
}

function defaultMotion<F extends Fields>({ step, show }: EntityOptions<F>): MotionModel {
  if (step) return "step";
  return show === "interpolate" ? "velocity" : "hold";
}

/** Returns everything about a leaf that both sides must agree on. */
export function describeLeaf({ path, field }: Leaf): string {
  const size = field.kind === "string" || field.kind === "bytes" ? field.maxBytes : "";
  const names = field.kind === "enum" ? field.values.join(",") : "";
  const derived = "derivedFrom" in field ? field.derivedFrom : "";
  return [path, field.kind, ...field.range, field.precision, size, names, derived].join(":");
}

function assertNotReserved(name: string, fieldName: string): void {
  if (!reserved.has(fieldName)) return;
  throw new ConfigError(`${name}.${fieldName}`, fieldName, "a name that is not reserved");
}

/** A whole state, with everything around it, must fit one packet. */
function assertSize(name: string, { components, leaves }: ComponentList, collections: number): void {
  if (leaves.length + collections === 0) throw new ConfigError(name, "no fields", "at least one field");
  const textBytes = leaves.reduce(
    (sum, { field }) => sum + ("maxBytes" in field ? field.maxBytes + 2 : 0),
    0,
  );
  const bytes = components.length * 4 + textBytes;
  if (bytes > MAX_STATE_BYTES) {
    throw new ConfigError(name, `${bytes} bytes`, `at most ${MAX_STATE_BYTES} bytes, text at its longest`);
  }
}

/**
 * `derivedFrom` must name `position`. To derive the velocity, a receiver needs a position of the same kind.
 */
function assertDerived(name: string, fields: Fields): void {
  for (const [fieldName, field] of Object.entries(fields)) {
    if ((field.kind !== "vec2" && field.kind !== "vec3") || field.derivedFrom === undefined) continue;
    const isRate = fieldName === "velocity" && field.derivedFrom === "position";
    if (isRate && fields.position?.kind === field.kind) continue;
    throw new ConfigError(
      `${name}.${fieldName}.derivedFrom`,
      field.derivedFrom,
      `"position", on a field velocity of the same kind`,
    );
  }
}

function assertName(field: string, name: string): void {
  if (typeof name !== "string" || !/^[A-Za-z][A-Za-z0-9_-]*$/.test(name) || name.length > limits.nameBytes) {
    throw new ConfigError(field, name, `1 to ${limits.nameBytes} letters, digits, - or _, a letter first`);
  }
}

function assertThresholds(
  name: string,
  { fields, offsets }: Pick<EntityDefinition, "fields" | "offsets">,
  threshold: Readonly<Record<string, number | undefined>>,
): void {
  for (const [field, value] of Object.entries(threshold)) {
    // Every object has inherited names, such as toString, that are not fields.
    const known = Object.hasOwn(offsets, field) ? fields[field] : undefined;
    if (known === undefined) {
      throw new ConfigError(`${name}.threshold.${field}`, value, `one of ${Object.keys(fields).join(", ")}`);
    }
    if (value === undefined || !(value > 0) || !Number.isFinite(value)) {
      throw new ConfigError(
        `${name}.threshold.${field}`,
        value,
        `a number above 0 (${known.unit || "no unit"})`,
      );
    }
  }
}

/** Motion `step` needs a model; other motions must have none. */
function assertStep(name: string, motion: MotionModel, step: unknown): void {
  if (motion === "step" ? typeof step === "function" : step === undefined) return;
  const expected = motion === "step" ? "a function (state, seconds)" : `nothing, since motion is "${motion}"`;
  throw new ConfigError(`${name}.step`, step, expected);
}

function assertHeartbeat(name: string, heartbeatMs: unknown): void {
  if (heartbeatMs === undefined) return;
  if (typeof heartbeatMs === "number" && heartbeatMs >= 50 && heartbeatMs <= 60_000) return;
  throw new ConfigError(`${name}.heartbeatMs`, heartbeatMs, "50 to 60000 ms");
}

function assertStrict(name: string, strict: unknown): void {
  if (strict === undefined || typeof strict === "boolean") return;
  throw new ConfigError(`${name}.strict`, strict, "true or false");
}

/** Returns the FNV-1a hash of a text, 32 bits (Fowler, Noll, Vo). */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193);
  }
  return hash >>> 0;
}
