import type { CarState, Trace } from "./trace.js";

/**
 * Returns the mean bytes per tick of an ideal static order-0 code at the rivals' steps (1 cm, 65536 steps a
 * turn, 1 cm/s,
 * exact inputs). It sums the entropy of each field's residuals over all cars. For older baselines it takes
 * the best of a
 * few predictions, chosen afterwards. No code for single fields does better without contexts.
 */
export function entropyBytes(trace: Trace, rotation: "yaw" | "full", age: number): number {
  const fields = residualsOf(trace, rotation, age);
  const bits = fields.reduce(
    (sum, residuals) => sum + entropyBits(countsOf(residuals)) / residuals.length,
    0,
  );
  // Bits per car and tick, times the cars, give bytes per tick.
  return (bits * trace.frames[0]!.length) / 8;
}

/**
 * Returns the residuals of each field by its best prediction: all ticks of the first car, then of the next
 * one.
 */
function residualsOf(trace: Trace, rotation: "yaw" | "full", age: number): number[][] {
  const tables = new Map<string, Map<string, number[]>>();
  const add: Add = (field, model, residual) => {
    const models = tables.get(field) ?? new Map<string, number[]>();
    tables.set(field, models);
    const residuals = models.get(model);
    if (residuals) residuals.push(residual);
    else models.set(model, [residual]);
  };
  for (const index of trace.frames[0]!.keys()) {
    const columns = columnsOf(trace, index, rotation);
    for (let tick = age + 4; tick < trace.frames.length; tick++) {
      addMovement(columns, tick, age, trace.hz, add);
      for (const angle of columns.angles) addAngle(angle, tick, age, add);
      for (const [field, values] of columns.steps) add(field, "hold", values[tick]! - values[tick - age]!);
    }
  }
  return [...tables.values()].map((models) => {
    const ranked = [...models.values()].map((residuals) => ({
      residuals,
      bits: entropyBits(countsOf(residuals)),
    }));
    return ranked.reduce((best, each) => (each.bits < best.bits ? each : best)).residuals;
  });
}

function countsOf(residuals: readonly number[]): Map<number, number> {
  const counts = new Map<number, number>();
  for (const residual of residuals) counts.set(residual, (counts.get(residual) ?? 0) + 1);
  return counts;
}

type Add = (field: string, model: string, residual: number) => void;

const STEPS_PER_TURN = 65_536;

interface Angle {
  readonly field: string;
  readonly values: readonly number[];
  /** Steps of a full turn. */
  readonly steps: number;
}

interface Columns {
  readonly position: readonly (readonly number[])[];
  readonly velocity: readonly (readonly number[])[];
  readonly heading: readonly number[];
  readonly angles: readonly Angle[];
  readonly steps: ReadonlyMap<string, readonly number[]>;
}

function columnsOf(trace: Trace, car: number, rotation: "yaw" | "full"): Columns {
  const of = (read: (state: CarState) => number, scale: number) =>
    trace.frames.map((frame) => Math.round(read(frame[car]!) * scale));
  const turn = STEPS_PER_TURN / (2 * Math.PI);
  const heading = of((state) => state.heading, turn);
  const coarse = { steps: Math.round(2 * Math.PI * FULL_TURN) };
  const angles: readonly Angle[] =
    rotation === "yaw"
      ? [{ field: "heading", values: heading, steps: STEPS_PER_TURN }]
      : [
          { ...coarse, field: "heading", values: of((state) => state.heading, FULL_TURN) },
          { ...coarse, field: "pitch", values: of(({ quat }) => pitchOf(quat), FULL_TURN) },
          { ...coarse, field: "roll", values: of(({ quat }) => rollOf(quat), FULL_TURN) },
        ];
  return {
    position: [of((state) => state.x, 100), of((state) => state.y, 100), of((state) => state.z, 100)],
    velocity: [of((state) => state.vx, 100), of((state) => state.vy, 100), of((state) => state.vz, 100)],
    heading,
    angles,
    steps: new Map([
      ["steer", of((state) => state.steer, 1)],
      ["throttle", of((state) => state.throttle, 1)],
      ["flags", of((state) => state.flags, 1)],
    ]),
  };
}

type Quat = CarState["quat"];

function pitchOf([x, y, z, w]: Quat): number {
  return Math.asin(Math.min(1, Math.max(-1, 2 * (w * y - z * x))));
}

function rollOf([x, y, z, w]: Quat): number {
  return Math.atan2(2 * (w * x + y * z), 1 - 2 * (x * x + y * y));
}

/**
 * Steps of a full turn with a full rotation. The rivals have ten bits per component: as an angle, 2 sqrt(2) /
 * 1023 a step.
 */
const FULL_TURN = 1023 / (2 * Math.SQRT2);

function addMovement(columns: Columns, tick: number, age: number, hz: number, add: Add): void {
  const { position, velocity, heading } = columns;
  const seconds = age / hz;
  const base = tick - age;
  const turned = wrapped(heading[base]! - heading[base - 3]!, STEPS_PER_TURN) / 3;
  const angle = (turned * age * 2 * Math.PI) / STEPS_PER_TURN;
  const along = angle === 0 ? 1 : Math.sin(angle) / angle;
  const across = angle === 0 ? 0 : (1 - Math.cos(angle)) / angle;
  for (let axis = 0; axis < 3; axis++) {
    const p = position[axis]!;
    const v = velocity[axis]!;
    const now = p[tick]!;
    const linear = p[base]! + v[base]! * seconds;
    const quadratic = linear + (((v[base]! - v[base - 3]!) * hz) / 3) * 0.5 * seconds * seconds;
    add(`p${axis}`, "linear", now - Math.round(linear));
    add(`p${axis}`, "quadratic", now - Math.round(quadratic));
    if (age === 1) add(`p${axis}`, "history", now - 2 * p[base]! + p[base - 1]!);
    if (axis < 2) {
      const [vx, vy] = [velocity[0]![base]!, velocity[1]![base]!];
      const moved = axis === 0 ? vx * along - vy * across : vx * across + vy * along;
      add(`p${axis}`, "turn", now - Math.round(p[base]! + moved * seconds));
    }
    add(`v${axis}`, "implied", v[tick]! - Math.round((2 * (now - p[base]!)) / seconds - v[base]!));
    add(`v${axis}`, "hold", v[tick]! - v[base]!);
    if (age === 1)
      add(
        `v${axis}`,
        "difference",
        v[tick]! - Math.round((1.5 * now - 2 * p[base]! + 0.5 * p[base - 1]!) * hz),
      );
  }
}

function addAngle({ field, values, steps }: Angle, tick: number, age: number, add: Add): void {
  const base = tick - age;
  const rate = wrapped(values[base]! - values[base - 1]!, steps);
  const slower = wrapped(values[base]! - values[base - 3]!, steps) / 3;
  add(field, "rate", wrapped(values[tick]! - values[base]! - rate * age, steps));
  add(field, "slower", wrapped(values[tick]! - values[base]! - Math.round(slower * age), steps));
  add(field, "hold", wrapped(values[tick]! - values[base]!, steps));
}

function wrapped(value: number, modulus: number): number {
  const rest = ((value % modulus) + modulus) % modulus;
  return rest * 2 >= modulus ? rest - modulus : rest;
}

function entropyBits(counts: ReadonlyMap<number, number>): number {
  let total = 0;
  for (const count of counts.values()) total += count;
  let bits = 0;
  for (const count of counts.values()) bits -= count * Math.log2(count / total);
  return bits;
}
