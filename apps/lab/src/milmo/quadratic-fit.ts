/** a, b and c of y = a + b x + c x². */
export type Quadratic = readonly [a: number, b: number, c: number];

/** Returns the least squares of a quadratic through the points and the origin, as a point among the others. */
export function quadraticFit(points: readonly (readonly [x: number, y: number])[]): Quadratic {
  const all = [[0, 0] as const, ...points];
  const sum = (of: (x: number, y: number) => number): number =>
    all.reduce((total, [x, y]) => total + of(x, y), 0);
  const powers = [0, 1, 2, 3, 4].map((power) => sum((x) => x ** power));
  // The normal equations, each with its right side.
  const rows = [0, 1, 2].map((row) => [
    ...[0, 1, 2].map((column) => powers[row + column]!),
    sum((x, y) => y * x ** row),
  ]);
  for (let pivot = 0; pivot < 3; pivot++) {
    for (let other = 0; other < 3; other++) {
      if (other === pivot) continue;
      const factor = rows[other]![pivot]! / rows[pivot]![pivot]!;
      rows[other] = rows[other]!.map((value, column) => value - factor * rows[pivot]![column]!);
    }
  }
  const [a, b, c] = rows.map((each, index) => each[3]! / each[index]!);
  return [a!, b!, c!];
}

/** Returns the value of a quadratic. */
export function valueAt([a, b, c]: Quadratic, x: number): number {
  return a + b * x + c * x * x;
}

const SECONDS_PER_MONTH = 30 * 86_400;

/** Returns the traffic of a month, TB (2^40 bytes), if each of so many islands has so many users. */
export function monthlyTb(fit: Quadratic, users: number, islands: number): number {
  return (valueAt(fit, users) * islands * 1024 * SECONDS_PER_MONTH) / 2 ** 40;
}
