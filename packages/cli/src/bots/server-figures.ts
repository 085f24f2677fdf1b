/** A server's figures in Prometheus' words. */
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

  /** The value of a line that begins with these words; NaN where there is none. */
  value(name: string): number {
    const line = this.#lines.find((each) => each.startsWith(`${name} `));
    return line === undefined ? Number.NaN : Number(line.slice(name.length + 1));
  }

  /** The sum over all labels. */
  sum(name: string): number {
    const lines = this.#lines.filter((line) => line.startsWith(`${name}{`));
    return lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
  }

  /** The upper bound, in ms, of the bucket in which that share of what was counted since `before` lies. */
  quantileMs(name: string, share: number, before: ServerFigures): number {
    const [now, then] = [this.#buckets(name), before.#buckets(name)];
    const counts = Array.from(now, ([bound, count]) => [bound, count - (then.get(bound) ?? 0)] as const);
    const total = Math.max(0, ...counts.map(([, count]) => count));
    if (total === 0) return Number.NaN;
    return (counts.find(([, count]) => count >= share * total)?.[0] ?? Number.NaN) * 1000;
  }

  /** Counts up to each bound, of all kinds of rooms together. */
  #buckets(name: string): Map<number, number> {
    const counts = new Map<number, number>();
    for (const line of this.#lines) {
      const [, bound, count] =
        /le="([^"]+)".*\} (\S+)$/.exec(line.startsWith(`${name}_bucket`) ? line : "") ?? [];
      if (bound === undefined) continue;
      const at = bound === "+Inf" ? Number.POSITIVE_INFINITY : Number(bound);
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
