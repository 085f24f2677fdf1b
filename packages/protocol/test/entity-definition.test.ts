import {
  ConfigError,
  angle,
  bytes,
  defineEntity,
  enumOf,
  flag,
  group,
  int,
  limits,
  list,
  quat,
  scalar,
  string,
  uint,
  vec2,
  vec3,
  type EntityOptions,
  type Fields,
} from "@paceline/protocol";
import { componentCount } from "../src/schema/entity-components.js";
import { describe, expect, test } from "vitest";

const position = vec2({ range: [-10, 10], precision: 0.1, unit: "m" });
const heading = angle({ precision: 0.1, unit: "rad" });

/** Returns the ConfigError of a call. Calls may break the types, as those of a game in JavaScript may. */
function refusalOf(call: () => unknown): ConfigError {
  try {
    call();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("was not refused");
}

function define(name: unknown, fields: Fields, options: object = {}): unknown {
  return defineEntity(name as string, fields, options as EntityOptions<Fields>);
}

describe("fields", () => {
  test.each([
    ["a range upside down", () => scalar({ range: [1, 0], precision: 0.1 }), "scalar.range"],
    ["a range of no width", () => scalar({ range: [1, 1], precision: 0.1 }), "scalar.range"],
    ["an infinite range", () => vec2({ range: [0, Number.POSITIVE_INFINITY], precision: 1 }), "vec2.range"],
    ["NaN in a range", () => vec3({ range: [Number.NaN, 1], precision: 1 }), "vec3.range"],
    ["a range beyond Float32", () => scalar({ range: [0, 1e39], precision: 1 }), "scalar.range"],
    ["no range", () => scalar({ precision: 1 } as never), "scalar.range"],
    ["a range of one number", () => int({ range: [1] } as never), "int.range"],
    ["a range of text", () => scalar({ range: ["0", "1"], precision: 1 } as never), "scalar.range"],
    ["a precision of 0", () => scalar({ range: [0, 1], precision: 0 }), "scalar.precision"],
    ["a precision below 0", () => scalar({ range: [0, 1], precision: -1 }), "scalar.precision"],
    ["NaN as precision", () => scalar({ range: [0, 1], precision: Number.NaN }), "scalar.precision"],
    ["text as precision", () => scalar({ range: [0, 1], precision: "0.1" } as never), "scalar.precision"],
    ["a precision wider than the range", () => scalar({ range: [0, 1], precision: 1.5 }), "scalar.precision"],
    ["an angle's precision above a full turn", () => angle({ precision: 7, unit: "rad" }), "angle.precision"],
    ["degrees", () => angle({ precision: 0.1, unit: "deg" } as never), "angle.unit"],
    ["a fraction as bound of an int", () => int({ range: [0, 1.5] }), "int.range"],
    [
      "an option that a kind does not have",
      () => uint({ range: [0, 3], defualt: 3 } as never),
      "uint.defualt",
    ],
    ["a precision of an int", () => int({ range: [0, 3], precision: 1 } as never), "int.precision"],
    ["a misspelt option of a vector", () => vec2({ ...position, units: "m" } as never), "vec2.kind"],
    ["a range of an angle", () => angle({ ...heading, unit: "rad" } as never), "angle.range"],
    ["no options", () => vec3(undefined as never), "vec3"],
    ["a list of what is no field", () => list(0 as never, 3), "list.item"],
    ["a group with what is no field", () => group({ turn: 0 as never }), "group.turn"],
    ["an unknown option of names", () => enumOf(["a", "b"], { first: "a" } as never), "enumOf.first"],
    ["a length of text", () => string({ maxBytes: 3, length: 3 } as never), "string.length"],
    ["an unknown option of bytes", () => bytes({ maxBytes: 3, default: "" } as never), "bytes.default"],
    ["an unknown option of a flag", () => flag({ value: true } as never), "flag.value"],
    [
      "an unknown option of a rotation",
      () => quat({ precision: 0.1, unit: "rad", axis: 1 } as never),
      "quat.axis",
    ],
    ["an int beyond what Float32 counts", () => int({ range: [0, 2 ** 24 + 1] }), "int.range"],
  ])("refuse %s", (_, call, field) => {
    const { field: named, expected, message } = refusalOf(call);
    expect(named).toBe(field);
    expect(message).toContain(expected);
  });

  test("accept the bounds of their options", () => {
    expect(int({ range: [-(2 ** 24), 2 ** 24] }).range).toEqual([-(2 ** 24), 2 ** 24]);
    expect(scalar({ range: [0, 1], precision: 1 }).precision).toBe(1);
    expect(vec3({ range: [0, 3.4e38], precision: 1, unit: "m" }).unit).toBe("m");
  });

  test.each([
    [vec2({ range: [0, 1], precision: 1 }), 2],
    [vec3({ range: [0, 1], precision: 1 }), 3],
    [heading, 1],
    [flag(), 1],
    [int({ range: [0, 1] }), 1],
  ])("have their number of components: %o", (field, count) => {
    expect(componentCount(field)).toBe(count);
  });
});

describe("defineEntity", () => {
  test.each([
    ["an empty name", () => define("", { heading }), "entity name"],
    ["a name that begins with a digit", () => define("1car", { heading }), "entity name"],
    ["a name with a space", () => define("my car", { heading }), "entity name"],
    ["a name that is no text", () => define(5, { heading }), "entity name"],
    ["a name too long", () => define("c".repeat(limits.nameBytes + 1), { heading }), "entity name"],
    ["a field with a dot", () => define("car", { "a.b": heading }), "car field name"],
    ["a field named id", () => define("car", { id: heading }), "car.id"],
    ["a field named shown", () => define("car", { shown: heading }), "car.shown"],
    ["a field named turnRate", () => define("car", { turnRate: heading }), "car.turnRate"],
    ["no fields", () => define("car", {}), "car"],
    ["a number as a field", () => define("car", { x: 0 as never }), "car.x"],
    ["null as a field", () => define("car", { x: null as never }), "car.x"],
    ["a misspelt option", () => define("car", { heading }, { motions: "velocity" }), "car.motions"],
    ["an unknown motion", () => define("car", { position }, { motion: "teleport" }), "car.motion"],
    ["motion step without a step", () => define("car", { position }, { motion: "step" }), "car.step"],
    [
      "a step for another motion",
      () => define("car", { position }, { motion: "turn", step: () => undefined }),
      "car.step",
    ],
    ["motion without a position", () => define("car", { heading }, { motion: "velocity" }), "car.position"],
    [
      "motion of an angle",
      () => define("car", { position: heading }, { motion: "velocity" }),
      "car.position",
    ],
    [
      "a threshold of an unknown field",
      () => define("car", { position }, { threshold: { speed: 1 } }),
      "car.threshold.speed",
    ],
    [
      "a threshold of what every object has",
      () => define("car", { position }, { threshold: { toString: 1 } }),
      "car.threshold.toString",
    ],
    [
      "a threshold of 0",
      () => define("car", { position }, { threshold: { position: 0 } }),
      "car.threshold.position",
    ],
    [
      "an infinite threshold",
      () => define("car", { position }, { threshold: { position: Infinity } }),
      "car.threshold.position",
    ],
    ["a heartbeat of 49 ms", () => define("car", { position }, { heartbeatMs: 49 }), "car.heartbeatMs"],
    [
      "a heartbeat above a minute",
      () => define("car", { position }, { heartbeatMs: 60_001 }),
      "car.heartbeatMs",
    ],
    ["text as heartbeat", () => define("car", { position }, { heartbeatMs: "100" }), "car.heartbeatMs"],
  ])("refuses %s", (_, call, field) => {
    expect(refusalOf(call).field).toBe(field);
  });

  test("names the unit of a threshold", () => {
    const { expected } = refusalOf(() => define("car", { position }, { threshold: { position: -1 } }));
    expect(expected).toBe("a number above 0 (m)");
  });

  test("[WF19] puts derived components after the declared ones", () => {
    const car = defineEntity(
      "car",
      { heading, position, gear: int({ range: [0, 5] }) },
      { motion: "velocity" },
    );
    expect(car.components.map(({ name }) => name)).toEqual([
      "heading",
      "position.x",
      "position.y",
      "gear",
      "velocity.x",
      "velocity.y",
      "turnRate",
    ]);
    expect(car.offsets).toEqual({ heading: 0, position: 1, gear: 3 });
    expect(car.motionLayout).toEqual({
      position: 1,
      dimensions: 2,
      velocity: 4,
      isVelocityDeclared: false,
      acceleration: undefined,
      isAccelerationDeclared: false,
      heading: 0,
      turnRate: 6,
      positionRange: position.range,
    });
  });

  test.each(["acceleration", "turn"] as const)("[WF19] derives an acceleration for %s", (motion) => {
    const car = defineEntity("car", { position, heading }, { motion });
    expect(car.components.map(({ name }) => name)).toEqual([
      "position.x",
      "position.y",
      "heading",
      "velocity.x",
      "velocity.y",
      "acceleration.x",
      "acceleration.y",
      "turnRate",
    ]);
    expect(car.motionLayout).toMatchObject({ velocity: 3, acceleration: 5, turnRate: 7 });
    const own = defineEntity("car", { position, acceleration: position }, { motion });
    expect(own.components).toHaveLength(6);
    expect(own.motionLayout).toMatchObject({ acceleration: 2, isAccelerationDeclared: true, velocity: 4 });
  });

  test("[WF19] derives nothing for a history of positions", () => {
    const car = defineEntity("car", { position, heading }, { motion: "history" });
    expect(car.components).toHaveLength(3);
    expect(car.motionLayout).toMatchObject({ velocity: undefined, turnRate: undefined, heading: 2 });
  });

  test("[WF19] uses a declared velocity of the position's kind, else derives one", () => {
    const velocity = vec2({ range: [-5, 5], precision: 0.1 });
    const declared = defineEntity("car", { velocity, position }, { motion: "velocity" });
    expect(declared.components).toHaveLength(4);
    expect(declared.motionLayout).toMatchObject({
      velocity: 0,
      isVelocityDeclared: true,
      turnRate: undefined,
    });
    const speed = scalar({ range: [0, 5], precision: 0.1 });
    const other = defineEntity("car", { velocity: speed, position }, { motion: "velocity" });
    expect(other.motionLayout).toMatchObject({ velocity: 3, isVelocityDeclared: false });
  });

  test("derives nothing for an entity that holds", () => {
    const sign = defineEntity("sign", { position, heading });
    expect(sign.components).toHaveLength(3);
    expect(sign.motionLayout).toBeUndefined();
  });
});

describe("schemaHash", () => {
  const car = defineEntity("car", { position, heading }, { motion: "velocity" });
  const wide = vec2({ range: [-10, 11], precision: 0.1 });
  const whole = int({ range: [-3, 3] });
  const number = scalar({ range: [-3, 3], precision: 0.1 });

  test.each([
    ["name", defineEntity("van", { position, heading }, { motion: "velocity" })],
    ["motion", defineEntity("car", { position, heading })],
    ["order of fields", defineEntity("car", { heading, position }, { motion: "velocity" })],
    ["name of a field", defineEntity("car", { position, course: heading }, { motion: "velocity" })],
    ["range", defineEntity("car", { position: wide, heading }, { motion: "velocity" })],
    ["a field more", defineEntity("car", { position, heading, on: flag() }, { motion: "velocity" })],
    ["a field less", defineEntity("car", { position }, { motion: "velocity" })],
    ["kind of a field", defineEntity("car", { position, heading: number }, { motion: "velocity" })],
  ])("[WF20] changes with everything that affects the wire: %s", (_, other) => {
    expect(other.schemaHash).not.toBe(car.schemaHash);
  });

  test("[WF20] differs between a whole number and a scalar", () => {
    expect(defineEntity("a", { n: whole }).schemaHash).not.toBe(defineEntity("a", { n: number }).schemaHash);
  });

  test("[WF20] does not depend on options of the owner alone", () => {
    const named = vec2({ range: [-10, 10], precision: 0.1, unit: "cm" });
    const tuned = defineEntity(
      "car",
      { position: named, heading },
      { motion: "velocity", threshold: { position: 2 }, heartbeatMs: 100 },
    );
    expect(tuned.schemaHash).toBe(car.schemaHash);
  });
});
