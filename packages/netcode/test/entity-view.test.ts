import {
  EntityTable,
  assignFields,
  defineFields,
  type ReadonlyFields,
  type WritableFields,
} from "@paceline/netcode";
import { ConfigError, angle, defineEntity, group } from "@paceline/protocol";
import { describe, expect, test } from "vitest";
import { Car, Sign } from "./definitions.js";

type CarFields = (typeof Car)["fields"];

function newCar() {
  const table = new EntityTable(Car);
  const place = { table, row: table.allocate(), isOld: false };
  const view = (isWritable: boolean, beforeRead?: () => void): unknown =>
    defineFields({}, Car, { place, layer: "state", isWritable, beforeRead });
  return { table, place, view, car: view(true) as WritableFields<CarFields> };
}

function problemOf(act: () => void): ConfigError {
  try {
    act();
  } catch (error) {
    if (error instanceof ConfigError) return error;
    throw error;
  }
  throw new Error("nothing was thrown");
}

describe("a writable view", () => {
  test("writes into the table and reads from it", () => {
    const { car, table } = newCar();
    car.position.set(1, 2);
    car.velocity.x = 3;
    car.velocity.y = -4;
    car.heading = 0.5;
    car.steering = -0.25;
    car.gear = 4;
    car.braking = true;
    expect([...table.stateOf(0)]).toEqual([1, 2, 3, -4, 0.5, -0.25, 4, 1, 0]);
    expect({ ...car.position }).toEqual({ x: 1, y: 2 });
    expect(car.braking).toBe(true);
    car.braking = false;
    expect(car.braking).toBe(false);
    expect(Object.keys(car)).toEqual(Object.keys(Car.fields));
  });

  test("keeps its row when the table grows", () => {
    const { car, table } = newCar();
    car.position.x = 5;
    for (let count = 0; count < 20; count++) table.allocate();
    expect(car.position.x).toBe(5);
    car.position.x = 6;
    expect(table.stateOf(0)[0]).toBe(6);
  });

  test("accepts both bounds of a range", () => {
    const { car } = newCar();
    car.position.set(-1000, 1000);
    car.gear = -1;
    car.gear = 6;
    expect({ ...car.position, gear: car.gear }).toEqual({ x: -1000, y: 1000, gear: 6 });
  });

  test("wraps an angle", () => {
    const { car } = newCar();
    car.heading = 3 * Math.PI;
    expect(car.heading).toBeCloseTo(-Math.PI, 5);
    car.heading = -4;
    expect(car.heading).toBeCloseTo(2 * Math.PI - 4, 5);
  });

  const refusals: [
    what: string,
    write: (car: WritableFields<CarFields>) => void,
    field: string,
    says: string,
  ][] = [
    ["a whole number above the range", (car) => (car.gear = 7), "car.gear", "number from -1 to 6"],
    ["infinite and whole", (car) => (car.gear = Infinity), "car.gear", "number from -1 to 6"],
    ["not a number", (car) => (car.steering = Number.NaN), "car.steering", "a number from -1 to 1"],
    ["text", (car) => (car.steering = "1" as never), "car.steering", "a number from -1 to 1"],
    ["a fraction", (car) => (car.gear = 1.5), "car.gear", "a whole number from -1 to 6"],
    ["an infinite angle", (car) => (car.heading = -Infinity), "car.heading", "a finite number of rad"],
    ["an angle in words", (car) => (car.heading = "north" as never), "car.heading", "finite number of rad"],
    ["a number for a flag", (car) => (car.braking = 1 as never), "car.braking", "true or false"],
    [
      "a vector as a whole",
      (car) => ((car as { position: unknown }).position = {}),
      "car.position",
      "nothing",
    ],
    [
      "a half vector",
      (car) => (car.position.set as (x: number) => void)(1),
      "car.position.y",
      "-1000 to 1000 m",
    ],
  ];

  test.each(refusals)("refuses a value that is %s and changes nothing", (_, write, field, says) => {
    const { car, table } = newCar();
    car.position.set(1, 2);
    const before = [...table.stateOf(0)];
    const problem = problemOf(() => write(car));
    expect(problem.field).toBe(field);
    expect(problem.expected).toContain(says);
    expect(problem.message).toContain(field);
    expect([...table.stateOf(0)]).toEqual(before);
  });

  test("names the value that it refuses", () => {
    const { car } = newCar();
    expect(problemOf(() => (car.gear = 7)).value).toBe(7);
    expect(problemOf(() => (car.gear = 7)).message).toBe(
      "car.gear: expected a whole number from -1 to 6, got 7",
    );
  });

  test("checks all components of a vector before it writes any", () => {
    const { car } = newCar();
    car.position.set(1, 2);
    expect(problemOf(() => car.position.set(5, Number.NaN)).field).toBe("car.position.y");
    expect({ ...car.position }).toEqual({ x: 1, y: 2 });
  });
});

test("views of a kind share their getters and setters, so that engines read them fast", () => {
  const [one, other] = [newCar().car, newCar().car];
  one.position.set(1, 2);
  other.position.set(3, 4);
  for (const [a, b] of [
    [one, other],
    [one.position, other.position],
  ] as const) {
    for (const name of Object.keys(a)) {
      const [ofA, ofB] = [a, b].map((view) => Object.getOwnPropertyDescriptor(view, name)!);
      expect([ofA!.get === ofB!.get, ofA!.set === ofB!.set]).toEqual([true, true]);
    }
  }
  expect([{ ...one.position }, { ...other.position }]).toEqual([
    { x: 1, y: 2 },
    { x: 3, y: 4 },
  ]);
});

test("assigning a vector throws an error that names set(...)", () => {
  const { car } = newCar();
  const assign = (): void => void Object.assign(car, { position: { x: 1, y: 2 } });
  expect(problemOf(assign).expected).toBe("nothing: write its parts, or all of them with set(...)");
});

test("assigning a group throws an error that does not name set(...), which a group has not", () => {
  const Tank = defineEntity("tank", { turret: group({ angle: angle({ unit: "rad", precision: 0.01 }) }) });
  const table = new EntityTable(Tank);
  const place = { table, row: table.allocate() };
  const tank = defineFields({}, Tank, { place, layer: "state", isWritable: true, beforeRead: undefined });
  const assign = (): void => void Object.assign(tank, { turret: { angle: 1 } });
  expect(problemOf(assign).expected).toBe("nothing: write its parts");
});

describe("a read-only view", () => {
  test("refuses every write", () => {
    const { view, car } = newCar();
    car.position.set(1, 2);
    const shown = view(false) as WritableFields<CarFields>;
    for (const write of [
      () => (shown.position.x = 1),
      () => shown.position.set(1, 1),
      () => (shown.heading = 1),
      () => (shown.braking = true),
      () => (shown.gear = 1),
    ]) {
      expect(problemOf(write).expected).toBe("nothing: it cannot be assigned here");
    }
    expect({ ...shown.position }).toEqual({ x: 1, y: 2 });
  });

  test("calls beforeRead while its place is old, so that values can be brought up to date", () => {
    const { view, table, place } = newCar();
    let reads = 0;
    const shown = view(false, () => {
      reads += 1;
      table.stateOf(0)[0] = reads;
    }) as ReadonlyFields<CarFields>;
    expect(shown.position.x).toBe(0);
    place.isOld = true;
    expect(shown.position.x).toBe(1);
    expect(shown.position.x).toBe(2);
    place.isOld = false;
    expect(shown.gear).toBe(0);
    expect(reads).toBe(2);
  });
});

describe("initial values", () => {
  const newSign = () => {
    const table = new EntityTable(Sign);
    const place = { table, row: table.allocate() };
    return defineFields({}, Sign, { place, layer: "state", isWritable: true }) as WritableFields<
      (typeof Sign)["fields"]
    >;
  };

  test("that are undefined are omitted, as in JSON, also in a group", () => {
    const { car } = newCar();
    assignFields(car, Car, { heading: undefined, position: undefined, gear: 3 });
    expect([car.heading, car.position.x, car.gear]).toEqual([0, 0, 3]);
    const Boat = defineEntity("boat", {
      sail: group({ angle: angle({ unit: "rad", precision: 0.01 }) }),
      heading: angle({ unit: "rad", precision: 0.01 }),
    });
    const table = new EntityTable(Boat);
    const place = { table, row: table.allocate(), isOld: false };
    const boat = defineFields({}, Boat, { place, layer: "state", isWritable: true });
    assignFields(boat, Boat, { sail: { angle: undefined }, heading: 1 });
    expect(boat).toMatchObject({ sail: { angle: 0 }, heading: 1 });
    expect(problemOf(() => assignFields(boat, Boat, { hedding: undefined })).field).toBe("boat.hedding");
  });

  test("may be objects of an engine, with further properties", () => {
    const sign = newSign();
    class Vector3 {
      readonly isVector3 = true;
      get w(): number {
        return 1;
      }
      x = 1;
      y = 2;
      z = 3;
    }
    assignFields(sign, Sign, { place: new Vector3() });
    expect({ ...sign.place }).toEqual({ x: 1, y: 2, z: 3 });
  });

  test("a write to a name that is no field throws", () => {
    const sign = newSign() as unknown as Record<string, Record<string, number>> & Record<string, unknown>;
    expect(() => ((sign as Record<string, unknown>)["colour"] = 1)).toThrow(TypeError);
    expect(() => (sign["place"]!["w"] = 1)).toThrow(TypeError);
  });

  test("are written by field; omitted fields keep the value nearest to zero", () => {
    const sign = newSign();
    assignFields(sign, Sign, { place: { x: 1, y: 2, z: 3 }, lit: true });
    expect({ ...sign.place, height: sign.height, lit: sign.lit }).toEqual({
      x: 1,
      y: 2,
      z: 3,
      height: 2,
      lit: true,
    });
  });

  const bad: [initial: Record<string, unknown>, field: string, says: string][] = [
    [{ colour: 1 }, "sign.colour", "one of place, height, lit"],
    [{ toString: 1 }, "sign.toString", "one of place, height, lit"],
    [{ height: Number.NaN }, "sign.height", "a number from 2 to 8 m"],
    [{ place: { x: 1, y: 2 } }, "sign.place.z", "a number from -1000 to 1000 m"],
    [{ place: { x: undefined, y: 2, z: 3 } }, "sign.place.x", "a number from -1000 to 1000 m"],
    [{ place: { x: 1, y: 2, z: 3, w: 4 } }, "sign.place.w", "one of x, y, z"],
    [{ place: null }, "sign.place.x", "a number from -1000 to 1000 m"],
    [{ place: 3 }, "sign.place.x", "a number from -1000 to 1000 m"],
    [{ lit: "yes" }, "sign.lit", "true or false"],
  ];

  test.each(bad)("are refused: %o", (initial, field, says) => {
    const problem = problemOf(() => assignFields(newSign(), Sign, initial));
    expect(problem.field).toBe(field);
    expect(problem.expected).toContain(says);
  });
});
