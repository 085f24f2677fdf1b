/** Colours that differ visibly on grass and tarmac: as many as a room has cars. */
const SPARE = [
  "#e5484d",
  "#2f80ed",
  "#f2b632",
  "#27ae60",
  "#9b51e0",
  "#ff7ab6",
  "#14b8c4",
  "#f2f4f8",
  "#ff8a3d",
  "#8d5a3b",
  "#1b2a6b",
  "#b8e04a",
  "#7a1f2b",
  "#9fd8ff",
  "#5c6470",
  "#d9b3ff",
];
/** Euclidean distance below which two colours look alike from the camera's height. Channels are 0 to 255. */
const ALIKE = 70;

/**
 * Gives every car of a race its own colour: the one that its driver wants, or a spare one if a car with a lower
 * number has a similar one. All browsers have the same cars, so all get the same colours.
 */
export class Liveries {
  #key = "";
  #colors: ReadonlyMap<number, string> = new Map();

  /** Call it whenever the drivers' colours may have changed. `wanted`: colours by number. */
  update(wanted: readonly (readonly [number: number, color: string])[]): void {
    const key = wanted.join();
    if (key === this.#key) return;
    this.#key = key;
    this.#colors = liveriesOf(wanted);
  }

  colorOf(number: number, wanted: string): string {
    return this.#colors.get(number) ?? wanted;
  }
}

/** Colours by number; see {@link Liveries}. */
export function liveriesOf(
  wanted: readonly (readonly [number: number, color: string])[],
): ReadonlyMap<number, string> {
  const colors = new Map<number, string>();
  const isFree = (color: string): boolean =>
    [...colors.values()].every((other) => distance(color, other) >= ALIKE);
  const inOrder = [...wanted].sort(([a], [b]) => a - b);
  for (const [number, color] of inOrder) if (isFree(color)) colors.set(number, color);
  for (const [number, color] of inOrder) {
    if (colors.has(number)) continue;
    const taken = new Set(colors.values());
    // Among many cars no spare colour may differ enough. Then any that no other car has will do.
    colors.set(number, SPARE.find(isFree) ?? SPARE.find((spare) => !taken.has(spare)) ?? color);
  }
  return colors;
}

function distance(a: string, b: string): number {
  const [p, q] = [channels(a), channels(b)];
  return Math.hypot(p[0] - q[0], p[1] - q[1], p[2] - q[2]);
}

function channels(color: string): readonly [number, number, number] {
  const value = Number.parseInt(color.slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}
