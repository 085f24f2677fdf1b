/** A row of an entity's components, from an entity table or from the wire. */
export type Components = Float32Array | Float64Array;

/**
 * The places of position, velocity and so on in a row of components: the index of each quantity's first
 * component. A missing quantity does not change. Positions in m, velocities in m/s, accelerations in m/s²,
 * angles in rad, rates in rad/s.
 */
export interface BodyLayout {
  readonly position: number;
  readonly dimensions: 2 | 3;
  readonly velocity?: number | undefined;
  readonly acceleration?: number | undefined;
  /** Direction in the plane, turned by `turnRate`. */
  readonly heading?: number | undefined;
  readonly turnRate?: number | undefined;
  /** Smallest and largest coordinate. Predictions are clamped to it. */
  readonly positionRange?: readonly [min: number, max: number] | undefined;
}

/** Returns the distance between the positions of two rows, m. */
export function positionErrorM(layout: BodyLayout, a: Components, b: Components): number {
  const at = layout.position;
  const x = a[at]! - b[at]!;
  const y = a[at + 1]! - b[at + 1]!;
  const z = layout.dimensions === 3 ? a[at + 2]! - b[at + 2]! : 0;
  return Math.sqrt(x * x + y * y + z * z);
}

/** Returns the speed of a row, m/s, or 0 if the layout has no velocity. */
export function speedOf(layout: BodyLayout, row: Components): number {
  if (layout.velocity === undefined) return 0;
  return lengthOf(row, layout.velocity, layout.dimensions);
}

/** Returns the length of the vector that begins at `at`. */
export function lengthOf(row: Components, at: number, dimensions: number): number {
  const x = row[at]!;
  const y = row[at + 1]!;
  const z = dimensions === 3 ? row[at + 2]! : 0;
  return Math.sqrt(x * x + y * y + z * z);
}

/** Copies a row. Between rows of different precision, `set` is slower than a loop over so few numbers. */
export function copyRow(from: Components, into: Components): void {
  for (let index = 0; index < from.length; index++) into[index] = from[index]!;
}

/** Returns true if every component is a finite number. */
export function isFiniteRow(row: Components): boolean {
  for (let index = 0; index < row.length; index++) if (!Number.isFinite(row[index])) return false;
  return true;
}
