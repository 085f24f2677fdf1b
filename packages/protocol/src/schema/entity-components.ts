import type { BytesField, StringField } from "./entity-composites.js";
import type { Field, NumericField, StateField } from "./entity-fields.js";
import { ConfigError } from "../errors/errors.js";

export const axes = ["x", "y", "z", "w"] as const;

/** One number of an entity. */
export interface Component {
  /** `position.x`, `heading`, `wheels.0.slip`; derived ones are `velocity.x` and `turnRate`. */
  readonly name: string;
  readonly kind: "number" | "angle" | "int" | "flag" | "quat" | "enum";
  readonly min: number;
  readonly max: number;
  readonly precision: number;
  readonly unit: string;
  /** Initial value. */
  readonly initial: number;
  /** False for a component that is derived from positions and ticks. */
  readonly isSent: boolean;
}

/** A field that holds values (not a list or a group), with its place in the entity. */
export interface Leaf {
  /** Path of the field: `position`, `wheels.0.slip`. */
  readonly path: string;
  readonly field: NumericField | StringField | BytesField;
  /** Index of the field's first component; for a text field, its index among the text fields. */
  readonly offset: number;
  /** Number of components; 0 for a text field. */
  readonly count: number;
}

const counts = {
  vec2: 2,
  vec3: 3,
  quat: 4,
  angle: 1,
  scalar: 1,
  int: 1,
  uint: 1,
  flag: 1,
  enum: 1,
} as const;

/** Returns the number of components of a field of states, with all its members. */
export function componentCount(field: Field): number {
  const of = field as StateField;
  switch (of.kind) {
    case "list":
      return of.length * componentCount(of.item);
    case "group":
      return Object.values(of.fields).reduce((sum, member) => sum + componentCount(member), 0);
    case "string":
    case "bytes":
      return 0;
    default:
      return counts[of.kind];
  }
}

/** Collects the leaves and components of fields, in wire order. */
export class ComponentList {
  readonly components: Component[] = [];
  readonly leaves: Leaf[] = [];
  textCount = 0;

  /** Adds a field of states. */
  add(path: string, of: Field): void {
    const field = of as StateField;
    switch (field.kind) {
      case "list":
        for (let index = 0; index < field.length; index++) this.add(`${path}.${index}`, field.item);
        return;
      case "group":
        for (const [name, member] of Object.entries(field.fields)) this.add(`${path}.${name}`, member);
        return;
      case "string":
      case "bytes":
        this.leaves.push({ path, field, offset: this.textCount++, count: 0 });
        return;
      default:
        this.leaves.push({ path, field, offset: this.components.length, count: counts[field.kind] });
        this.components.push(...componentsOf(path, field));
    }
  }
}

/**
 * Returns a component that the owner derives for a motion model. It is sent only if the state's plan has
 * rates.
 */
export function derivedComponent(name: string, unit: string, bound: number, precision: number): Component {
  return { name, kind: "number", min: -bound, max: bound, precision, unit, initial: 0, isSent: false };
}

function componentsOf(path: string, field: NumericField): Component[] {
  const [min, max] = field.range;
  const { unit, precision } = field;
  const common = { min, max, precision, unit };
  switch (field.kind) {
    case "vec2":
    case "vec3":
    case "quat":
      return axes.slice(0, counts[field.kind]).map((axis) => ({
        ...common,
        name: `${path}.${axis}`,
        kind: field.kind === "quat" ? "quat" : "number",
        initial: initialOf(`${path}.${axis}`, field, valueOnAxis(field, axis)),
        isSent: field.kind === "quat" || field.derivedFrom === undefined,
      }));
    case "enum":
      return [
        {
          ...common,
          name: path,
          kind: "enum",
          initial: Math.max(0, field.values.indexOf(field.default ?? "")),
          isSent: true,
        },
      ];
    case "flag":
      return [{ ...common, name: path, kind: "flag", initial: field.default === true ? 1 : 0, isSent: true }];
    default: {
      const kind = field.kind === "uint" ? "int" : field.kind === "scalar" ? "number" : field.kind;
      return [{ ...common, name: path, kind, initial: initialOf(path, field, field.default), isSent: true }];
    }
  }
}

function valueOnAxis(field: NumericField, axis: (typeof axes)[number]): unknown {
  if (field.default !== undefined)
    return (field.default as unknown as Record<string, unknown> | null)?.[axis];
  return field.kind === "quat" && axis === "w" ? 1 : undefined;
}

function initialOf(name: string, field: NumericField, value: unknown): number {
  const [min, max] = field.range;
  if (value === undefined && field.default === undefined) return Math.min(Math.max(0, min), max);
  const isWhole = (field.kind !== "int" && field.kind !== "uint") || Number.isInteger(value);
  if (typeof value === "number" && value >= min && value <= max && isWhole) return value;
  const expected = `a ${isWhole ? "" : "whole "}number from ${min} to ${max} ${field.unit}`.trim();
  throw new ConfigError(`${name}.default`, value, expected);
}
