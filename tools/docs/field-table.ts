import type { StatePlan } from "../../packages/protocol/src/index.js";
import { Role } from "../../packages/protocol/src/state/columns/state-plan.js";

const codedAs: Readonly<Record<StatePlan["groups"][number]["role"], string>> = {
  [Role.rate]: "velocity: goes on changing as it did",
  [Role.place]: "position: where its velocities lead",
  [Role.smooth]: "goes on as it did",
  [Role.rotation]: "turns on as it did",
  [Role.step]: "holds, then steps",
  [Role.change]: "holds, then is another",
};

/** Returns the rows of the values that the motion model derives and the plan sends. */
function derivedRows({ definition, groups, columnOf, bits }: StatePlan): string[][] {
  return definition.components.flatMap(({ name, isSent, precision, unit }, index) => {
    const column = columnOf[index]!;
    const group = groups.find(({ first, count }) => column >= first && column < first + count);
    if (isSent || !group) return [];
    const step = `${Number(precision.toPrecision(3))} ${unit}`.trim();
    return [[name, "derived", "cut off", step, String(bits[column]!), codedAs[group.role]]];
  });
}

/** Returns the fields of a plan as a Markdown table, in wire order. */
export function fieldTable(plan: StatePlan): string {
  const rows = plan.definition.leaves.map(({ path, field, offset, count }) => {
    const column = count === 0 ? -1 : plan.columnOf[offset]!;
    const group = plan.groups.find(({ first }) => first === column);
    const { kind, unit } = field;
    const [min, max] = field.range;
    if (count === 0) {
      const bytes = "maxBytes" in field ? field.maxBytes : 0;
      return [path, kind, `at most ${bytes} bytes`, "exact", `8 + 8 per byte`, "whole, when it changes"];
    }
    const isNumber = field.precision !== 1 || kind === "scalar";
    const range = kind === "angle" || kind === "quat" ? "all" : `${min} to ${max}`;
    const step = isNumber ? `${Number(field.precision.toPrecision(3))} ${unit}`.trim() : "exact";
    if (!group) return [path, kind, range, step, "0", "derived by receivers"];
    let bits = 0;
    for (let index = group.first; index < group.first + group.count; index++) bits += plan.bits[index]!;
    return [
      path,
      kind,
      `${range} ${kind === "angle" || kind === "quat" ? "" : unit}`.trim(),
      step,
      String(bits),
      codedAs[group.role],
    ];
  });
  const lines = [
    ["field", "kind", "range", "step", "bits, whole", "expected to"],
    ["-", "-", "-", "-", "-:", "-"],
    ...rows,
    ...derivedRows(plan),
  ];
  return lines.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}
