import type { Fields, InputDefinition } from "@paceline/client";

type Field = Fields[string];

/** Writes a random value of its range into each field of an input. */
export function writeRandomInput(definition: InputDefinition, input: object): void {
  for (const [name, field] of Object.entries(definition.fields)) writeField(input, name, field);
}

function writeField(target: object, name: string, field: Field): void {
  const write = (value: unknown): void => void Reflect.set(target, name, value);
  const inside = Reflect.get(target, name) as object;
  const [min, max] = "range" in field ? field.range : [0, 0];
  const number = (): number => min + Math.random() * (max - min);
  switch (field.kind) {
    case "vec2":
    case "vec3":
    case "quat":
      for (const axis of ["x", "y", "z", "w"]) if (axis in inside) Reflect.set(inside, axis, number());
      return;
    case "list":
      for (let index = 0; index < field.length; index += 1) writeField(inside, String(index), field.item);
      return;
    case "group":
      for (const [member, each] of Object.entries(field.fields)) writeField(inside, member, each);
      return;
    case "flag":
      return write(Math.random() < 0.5);
    case "enum":
      return write(field.values[Math.floor(Math.random() * field.values.length)]);
    case "int":
    case "uint":
      return write(Math.round(number()));
    case "scalar":
    case "angle":
      return write(number());
    default:
    // defineInput takes no texts.
  }
}
