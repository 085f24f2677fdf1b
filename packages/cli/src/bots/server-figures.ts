/** A server's metrics in Prometheus' text format. */
export class ServerFigures {
  readonly #lines: readonly string[];

  private constructor(text: string) {
    this.#lines = text.split("\n");
  }

  static async read(url: string): Promise<ServerFigures> {
    const answer = await fetch(url);
    if (!answer.ok) throw new Error(`${url} answered with status ${answer.status}`);
    return new ServerFigures(await answer.text());
  }

  /** Returns the value of the line with this name; NaN if there is none. */
  value(name: string): number {
    const line = this.#lines.find((each) => each.startsWith(`${name} `));
    return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
  }

  sum(name: string): number {
    const lines = this.#lines.filter((line) => line.startsWith(`${name}{`));
    return lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  }

  /**
   * Returns the upper bound, ms, of the bucket with the given quantile (`share`, 0 to 1) of all values since
   * `before`; NaN if there are none.
   */
  quantileMs(name: string, share: number, before: ServerFigures): number {
    const [now, then] = [this.#buckets(name), before.#buckets(name)];
    const counts = Array.from(now, ([bound, count]) => [bound, count - (then.get(bound) ?? 0)] as const);
    const total = Math.max(0, ...counts.map(([, count]) => count));
    if (total === 0) return Number.NaN;
    return (counts.find(([, count]) => count >= share * total)?.[0] ?? Number.NaN) * 1000;
  }

  /** Returns the number of values up to each bound, s, over all kinds of rooms. */
  #buckets(name: string): Map<number, number> {
    const counts = new Map<number, number>();
    for (const line of this.#lines) {
      const [, bound, count] =
        /le="([^"]+)".*\} (\S+)$/.exec(line.startsWith(`${name}_bucket`) ? line : "") ?? [];
      if (bound === undefined) continue;
      const at = bound === "+Inf" ? Infinity : Number(bound);
      counts.set(at, (counts.get(at) ?? 0) + Number(count));
    }
    return counts;
  }

  get cpuSeconds(): number {
    return this.value("process_cpu_seconds_total");
  }

  get heapMb(): number {
    return this.value("nodejs_heap_size_used_bytes") / 2 ** 20;
  }

  get rssMb(): number {
    return this.value("process_resident_memory_bytes") / 2 ** 20;
  }
}
