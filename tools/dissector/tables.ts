import {
  MessageKind,
  PayloadKind,
  TrafficClass,
  planState,
  type Component,
  type EntityDefinition,
  type Leaf,
  type StatePlan,
} from "../../packages/protocol/src/index.js";
import { CODE_LENGTHS } from "../../packages/protocol/src/state/codec/tables.js";

type LuaValue =
  string | number | boolean | undefined | readonly LuaValue[] | { readonly [key: string]: LuaValue };

/**
 * Returns the tables of Wireshark's Lua dissector: the definitions with their columns, and the tables of the
 * codec. `pnpm dissector` appends the dissector itself.
 */
export function dissectorTables(definitions: readonly EntityDefinition[]): string {
  const described = Object.fromEntries(
    definitions.map((definition) => [definition.name, describe(definition)]),
  );
  return [
    `local DEFINITIONS = ${lua(described)}`,
    `local CLASSES = ${named(TrafficClass)}`,
    `local KINDS = ${named(MessageKind)}`,
    `local PAYLOADS = ${named(PayloadKind)}`,
    `local CODE_LENGTHS = ${fromZero(CODE_LENGTHS.map((lengths) => `"${lengths}"`))}`,
    "",
  ].join("\n");
}

function describe(definition: EntityDefinition): LuaValue {
  const { name, motion, schemaHash, components, leaves } = definition;
  const plan = planState(definition, { tickHz: 1, hasRates: true });
  const declared = leaves.reduce((end, { offset, count }) => Math.max(end, offset + count), 0);
  return {
    name,
    motion,
    schemaHash,
    leaves: leaves.map((leaf) => describeLeaf(definition, plan, leaf)),
    derived: derivedGroups(components.slice(declared)).map(({ path, members }) => ({
      path,
      kind: members.length === 1 ? "scalar" : `vec${members.length}`,
      unit: members[0]!.unit,
      columns: members.map((member) => columnOf(plan, components.indexOf(member))),
    })),
  };
}

function describeLeaf(
  { motionLayout, components }: EntityDefinition,
  plan: StatePlan,
  { path, field, offset, count }: Leaf,
): { readonly [key: string]: LuaValue } {
  const sent = components.map((_, index) => index).slice(offset, offset + count);
  return {
    path,
    kind: field.kind,
    unit: field.unit,
    values: field.kind === "enum" ? field.values : undefined,
    maxBytes: "maxBytes" in field ? field.maxBytes : undefined,
    movesPosition: count > 0 && offset === motionLayout?.velocity,
    columns: sent.filter((index) => plan.columnOf[index]! >= 0).map((index) => columnOf(plan, index)),
  };
}

/** Groups the components of one field, such as `velocity.x` and `velocity.y`. */
function derivedGroups(components: readonly Component[]): { path: string; members: Component[] }[] {
  const groups: { path: string; members: Component[] }[] = [];
  for (const component of components) {
    const path = component.name.split(".", 1)[0]!;
    const group = groups.find((each) => each.path === path);
    if (group) group.members.push(component);
    else groups.push({ path, members: [component] });
  }
  return groups;
}

function columnOf({ columnOf: columns, min, max, step, turn }: StatePlan, component: number): number[] {
  const column = columns[component]!;
  return [min[column]!, max[column]!, step[column]!, turn[column]!];
}

/** Returns a table of names by number. */
function named(numbers: Readonly<Record<string, number>>): string {
  return `{ ${Object.entries(numbers)
    .map(([name, number]) => `[${number}] = "${name}"`)
    .join(", ")} }`;
}

/** Returns a table whose indices begin at 0. */
function fromZero(values: readonly (number | string)[]): string {
  return `{ [0] = ${values.join(", ")} }`;
}

function lua(value: LuaValue): string {
  if (typeof value === "string") return `"${value.replaceAll(/["\\]/g, "\\$&").replaceAll("\n", "\\n")}"`;
  if (value === undefined) return "nil";
  if (typeof value !== "object") return String(value);
  if (Array.isArray(value)) return `{ ${value.map(lua).join(", ")} }`;
  const entries = Object.entries(value).filter(([, inner]) => inner !== undefined);
  return `{ ${entries.map(([key, inner]) => `[${lua(key)}] = ${lua(inner)}`).join(", ")} }`;
}
