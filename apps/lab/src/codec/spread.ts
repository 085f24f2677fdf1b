/** Mean, 99th percentile and maximum of a series of numbers. */
export class Spread {
  readonly #values: number[] = [];

  add(value: number): void {
    this.#values.push(value);
  }

  get mean(): number {
    return this.#values.reduce((sum, value) => sum + value, 0) / this.#values.length;
  }

  get p99(): number {
    return quantile(this.#values, 0.99);
  }

  get max(): number {
    return this.#values.reduce((most, value) => Math.max(most, value), 0);
  }

  /** Returns the three figures under the keys of a row. */
  row<Name extends string, Unit extends string>(
    name: Name,
    unit: Unit,
  ): Record<`${Name}${"Mean" | "P99" | "Max"}${Unit}`, number> {
    const cells = {
      [`${name}Mean${unit}`]: this.mean,
      [`${name}P99${unit}`]: this.p99,
      [`${name}Max${unit}`]: this.max,
    };
    return cells as Record<`${Name}${"Mean" | "P99" | "Max"}${Unit}`, number>;
  }
}

export function quantile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}
