/** A span of time that counts, on the machine's clock. */
export interface Window {
  readonly label: string;
  readonly fromMs: number;
  readonly toMs: number;
}

export interface Ages {
  readonly samples: number;
  readonly ageMsP50: number;
  readonly ageMsP95: number;
  readonly ageMsP99: number;
  readonly ageMsP999: number;
}

interface Arrival {
  readonly atMs: number;
  readonly writtenMs: number;
}

/** Age of the receiver's newest state of each entity at every moment: how old the view of a player is. */
export class AgeMeter {
  /** Only states that are newer than all earlier arrivals. */
  readonly #arrivals = new Map<string, Arrival[]>();

  take(entity: string, writtenMs: number, atMs: number): void {
    const arrivals = this.#arrivals.get(entity) ?? [];
    this.#arrivals.set(entity, arrivals);
    const newest = arrivals.at(-1);
    if (!newest || writtenMs > newest.writtenMs) arrivals.push({ atMs, writtenMs });
  }

  /** Returns the age statistics over all entities, sampled every millisecond of the windows. */
  ages(windows: readonly Window[]): Ages | undefined {
    const ages: number[] = [];
    for (const arrivals of this.#arrivals.values()) {
      for (const window of windows) collect(arrivals, window, ages);
    }
    if (ages.length === 0) return undefined;
    const sorted = Float64Array.from(ages).sort();
    const at = (share: number) => sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))]!;
    return {
      samples: sorted.length,
      ageMsP50: at(0.5),
      ageMsP95: at(0.95),
      ageMsP99: at(0.99),
      ageMsP999: at(0.999),
    };
  }
}

function collect(arrivals: readonly Arrival[], { fromMs, toMs }: Window, ages: number[]): void {
  let index = 0;
  for (let nowMs = fromMs; nowMs < toMs; nowMs += 1) {
    while (index + 1 < arrivals.length && arrivals[index + 1]!.atMs <= nowMs) index += 1;
    const newest = arrivals[index];
    if (newest && newest.atMs <= nowMs) ages.push(nowMs - newest.writtenMs);
  }
}
