/** What a server says of itself in Prometheus' words. */
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
