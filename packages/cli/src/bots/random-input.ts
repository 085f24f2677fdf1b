import type { InputDefinition } from "@paceline/client";

type Leaf = InputDefinition["definition"]["leaves"][number];

/** Writes a random value of its range to each field of an input. */
export function writeRandomInput({ definition }: InputDefinition, input: object): void {
  for (const { path, field, count } of definition.leaves) {
    const names = path.split(".");
    const last = names.pop() ?? "";
    // The path of a field leads through lists and groups.
    const holder = names.reduce((inside, name) => Reflect.get(inside, name) as object, input);
    if (count === 1) Reflect.set(holder, last, valueOf(field));
    else writeAxes(Reflect.get(holder, last) as object, field);
  }
}

function writeAxes(vector: object, field: Leaf["field"]): void {
  for (const axis of ["x", "y", "z", "w"]) if (axis in vector) Reflect.set(vector, axis, valueOf(field));
}

function valueOf(field: Leaf["field"]): unknown {
  if (!("range" in field)) return undefined;
  const [min, max] = field.range;
  const number = min + Math.random() * (max - min);
  if (field.kind === "flag") return number < 0.5;
  if (field.kind === "enum") return field.values[Math.round(number)];
  return field.kind === "int" || field.kind === "uint" ? Math.round(number) : number;
}
