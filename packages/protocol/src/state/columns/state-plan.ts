import { bitsBetween, stepsOf } from "../../schema/component-steps.js";
import type { Leaf } from "../../schema/entity-components.js";
import type { EntityDefinition } from "../../schema/entity-definition.js";
import { ConfigError } from "../../errors/errors.js";

/** Behaviours of columns, which decide their prediction. */
export const Role = {
  /** Velocity. */
  rate: 0,
  /** Position with a known velocity. */
  place: 1,
  /** Smooth value, predicted from its own history. */
  smooth: 2,
  /** Component of a quaternion. */
  rotation: 3,
  /** Number that stays constant between steps. */
  step: 4,
  /** Choice that stays constant between changes. */
  change: 5,
} as const;

/** Columns before those of the fields: the owner of the entity, and the count of its teleports. */
export const OWNER_COLUMN = 0;
export const TELEPORT_COLUMN = 1;
export const FIRST_FIELD_COLUMN = 2;
export const OWNER_BITS = 16;
export const TELEPORT_BITS = 8;

/** Columns that are predicted together, in coding order. */
interface ColumnGroup {
  readonly role: (typeof Role)[keyof typeof Role];
  readonly first: number;
  readonly count: number;
  /** For a position: the first column of its velocity. */
  readonly rate: number;
  /** For a position: position steps per velocity step and tick. */
  readonly rateScale: number;
}

/**
 * Ways to convert a component to a column. `none`: it has no column, or belongs to a quaternion whose first
 * component handles it. `quat`: the first of a quaternion's four. `rate`: a derived rate, which is clamped to
 * its bounds. `name`: an enum with more names at the sender than this definition has.
 */
export const Handling = { none: 0, number: 1, angle: 2, quat: 3, rate: 4, name: 5 } as const;

/** The layout of one kind of entity in rows of integers, and their coding. */
export interface StatePlan {
  readonly definition: EntityDefinition;
  readonly tickHz: number;
  readonly width: number;
  readonly groups: readonly ColumnGroup[];
  /** True if all columns stay constant between steps. Older baselines then hardly improve their prediction. */
  readonly isStepping: boolean;
  readonly texts: readonly Leaf[];
  /**
   * For each text field of the definition: its index in `texts`, or -1. Undefined if both lists are equal.
   */
  readonly textOf?: Int32Array;
  /** Column of each component; -1 if the component is derived or not coded. */
  readonly columnOf: Int32Array;
  readonly min: Int32Array;
  readonly max: Int32Array;
  /** Steps of a full turn; 0 if the column is not an angle. */
  readonly turn: Int32Array;
  /** Bits of a value without a baseline. */
  readonly bits: Uint8Array;
  /** Size of one step, in the component's unit. */
  readonly step: Float64Array;
  /** The value nearest to zero within the range. */
  readonly rest: Int32Array;
  /** The {@link Handling} of each component. */
  readonly handling: Uint8Array;
  /** Bounds of each component. */
  readonly lowest: Float64Array;
  readonly highest: Float64Array;
}

/** Columns of a quaternion: the index of the omitted component, then the other three. */
export const QUAT_COLUMNS = 4;

export interface PlanOptions {
  readonly tickHz: number;
  /**
   * True: the derived components of a motion model are sent too, after the fields. Receivers extrapolate
   * from them.
   */
  readonly hasRates?: boolean;
}

/**
 * Lays out the columns of a definition. Throws {@link ConfigError} for a `tickHz` outside 1 to 255, or too
 * many steps.
 */
export function planState(definition: EntityDefinition, options: PlanOptions): StatePlan {
  const { tickHz } = options;
  const { leaves } = definition;
  if (!(tickHz >= 1 && tickHz <= 255)) throw new ConfigError("tickHz", tickHz, "1 to 255 Hz");
  const columnOf = new Int32Array(definition.components.length).fill(-1);
  let width = FIRST_FIELD_COLUMN;
  for (const { offset, count } of leaves) {
    for (let index = offset; index < offset + count; index++) {
      if (definition.components[index]!.isSent) columnOf[index] = width++;
    }
  }
  const firstRate = leaves.reduce((end, { offset, count }) => Math.max(end, offset + count), 0);
  for (let index = firstRate; options.hasRates && index < columnOf.length; index++) columnOf[index] = width++;
  const columns = layColumns(definition, columnOf, width);
  const plan = { definition, tickHz, width, columnOf, ...columns };
  const groups = groupColumns(leaves, plan);
  const texts = leaves.filter(({ count }) => count === 0);
  return {
    ...plan,
    groups,
    isStepping: groups.every(({ role }) => role >= Role.step),
    texts,
    ...boundsOf(definition),
    handling: handlingOf(definition, columnOf),
  };
}

export function boundsOf({ components }: EntityDefinition): Pick<StatePlan, "lowest" | "highest"> {
  return {
    lowest: Float64Array.from(components, ({ min }) => min),
    highest: Float64Array.from(components, ({ max }) => max),
  };
}

export function handlingOf({ components }: EntityDefinition, columnOf: Int32Array): Uint8Array {
  return Uint8Array.from(components, ({ kind, name, isSent }, index) => {
    if (columnOf[index]! < 0) return Handling.none;
    if (!isSent) return Handling.rate;
    if (kind === "quat") return name.endsWith(".x") ? Handling.quat : Handling.none;
    return kind === "angle" ? Handling.angle : Handling.number;
  });
}

type Columns = Pick<StatePlan, "min" | "max" | "turn" | "bits" | "step" | "rest">;

function layColumns(definition: EntityDefinition, columnOf: Int32Array, width: number): Columns {
  const min = new Int32Array(width);
  const max = new Int32Array(width);
  const turn = new Int32Array(width);
  const step = new Float64Array(width).fill(1);
  max[OWNER_COLUMN] = 2 ** OWNER_BITS - 1;
  max[TELEPORT_COLUMN] = 2 ** TELEPORT_BITS - 1;
  for (const [index, component] of definition.components.entries()) {
    const column = columnOf[index]!;
    if (column < 0) continue;
    const steps = stepsOf(definition, component);
    min[column] = steps.min;
    max[column] = steps.max;
    turn[column] = steps.turn;
    step[column] = steps.step;
  }
  const bits = Uint8Array.from(min, (low, column) => bitsBetween(low, max[column]!));
  const rest = min.map((low, column) => Math.min(Math.max(0, low), max[column]!));
  return { min, max, turn, bits, step, rest };
}

/** Groups columns, velocity first. A position is then predicted from its velocity, and costs few bits. */
function groupColumns(
  leaves: readonly Leaf[],
  plan: Omit<StatePlan, "groups" | "isStepping" | "texts" | "handling" | "lowest" | "highest">,
): ColumnGroup[] {
  const moving = plan.definition.motionLayout;
  const rate = moving?.velocity === undefined ? -1 : plan.columnOf[moving.velocity]!;
  const groups = groupRates(plan, rate);
  for (const { field, offset, count } of leaves) {
    const first = count === 0 ? -1 : plan.columnOf[offset]!;
    if (first < 0) continue;
    const isPlace = moving !== undefined && offset === moving.position && rate >= 0;
    const role = first === rate ? Role.rate : isPlace ? Role.place : roleOf(field.kind);
    const rateScale = isPlace ? plan.step[rate]! / (plan.step[first]! * plan.tickHz) : 0;
    groups.push({ role, first, count, rate: isPlace ? rate : -1, rateScale });
  }
  const order = [Role.rate, Role.place, Role.rotation, Role.smooth, Role.step, Role.change];
  return groups.sort((a, b) => order.indexOf(a.role) - order.indexOf(b.role));
}

/** Groups the derived components that are sent, after the fields. */
function groupRates(
  { definition, columnOf }: Pick<StatePlan, "definition" | "columnOf">,
  rate: number,
): ColumnGroup[] {
  const { motionLayout: moving } = definition;
  if (!moving) return [];
  const groupAt = (at: number | undefined, count: number): ColumnGroup[] => {
    const first = at === undefined ? -1 : columnOf[at]!;
    if (first < 0 || !isDerived(definition, at!)) return [];
    return [{ role: first === rate ? Role.rate : Role.smooth, first, count, rate: -1, rateScale: 0 }];
  };
  return [
    ...groupAt(moving.velocity, moving.dimensions),
    ...groupAt(moving.acceleration, moving.dimensions),
    ...groupAt(moving.turnRate, 1),
  ];
}

function isDerived({ leaves }: EntityDefinition, component: number): boolean {
  return !leaves.some(({ offset, count }) => component >= offset && component < offset + count);
}

function roleOf(kind: string): ColumnGroup["role"] {
  switch (kind) {
    case "quat":
      return Role.rotation;
    case "int":
    case "uint":
      return Role.step;
    case "flag":
    case "enum":
      return Role.change;
    default:
      return Role.smooth;
  }
}
