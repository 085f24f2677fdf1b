import type { Captures } from "./hostile/captures.js";
import { stages, type StageName } from "./cases.js";
import { Child } from "./child.js";
import type { HonestFigures, HonestOrder } from "./messages.js";
import { ServerProcess, type Holdings } from "./server-process.js";

/** Time in which the server compiles its hot paths with four players. */
const WARM_UP_MS = 700;
const CALM_MS = 800;
const ASK_LIMIT_MS = 60_000;
const LATENCIES_KEPT = 20_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** CPU time in some time: sums, so that quiet times can be added. */
export interface Usage {
  readonly seconds: number;
  readonly serverCpuMs: number;
  readonly honestCpuMs: number;
}

export type Figures = HonestFigures & { readonly usage: Usage };

const NO_USAGE: Usage = { seconds: 0, serverCpuMs: 0, honestCpuMs: 0 };

export function addUsage(a: Usage, b: Usage): Usage {
  return {
    seconds: a.seconds + b.seconds,
    serverCpuMs: a.serverCpuMs + b.serverCpuMs,
    honestCpuMs: a.honestCpuMs + b.honestCpuMs,
  };
}

/** An attacked server and its honest players. */
export class Stage {
  readonly server: ServerProcess;
  readonly honest: Child<HonestOrder>;
  readonly roomId: string;
  #calmMs: number[] = [];
  #calmUsage = NO_USAGE;
  #serverCpuMs = 0;

  private constructor(server: ServerProcess, honest: Child<HonestOrder>, roomId: string) {
    this.server = server;
    this.honest = honest;
    this.roomId = roomId;
  }

  static async open(name: StageName): Promise<Stage> {
    // Both need a while to begin.
    const starting = Child.start<HonestOrder>("honest-process");
    starting.catch(() => undefined);
    const server = await ServerProcess.start(stages[name]);
    let honest: Child<HonestOrder> | undefined;
    try {
      honest = await starting;
      const roomId = await honest.ask<string>({ do: "begin", url: server.url }, ASK_LIMIT_MS);
      const stage = new Stage(server, honest, roomId);
      await sleep(WARM_UP_MS);
      await stage.figures(false);
      await sleep(CALM_MS);
      await stage.rest();
      return stage;
    } catch (error) {
      await honest?.end();
      await server.stop();
      throw error;
    }
  }

  /** Records the traffic of honest clients to this server, in a separate process. */
  async record(): Promise<Captures> {
    const recorder = await Child.start<HonestOrder>("honest-process");
    try {
      return await recorder.ask<Captures>({ do: "record", url: this.server.url }, ASK_LIMIT_MS);
    } finally {
      await recorder.end();
    }
  }

  /** Returns the honest players' measurements since the last request. */
  async figures(isSettled: boolean): Promise<Figures> {
    const figures = await this.honest.ask<HonestFigures>({ do: "figures", isSettled }, ASK_LIMIT_MS);
    const before = this.#serverCpuMs;
    this.#serverCpuMs = this.server.cpuMs;
    const { seconds, cpuMs } = figures;
    const serverCpuMs = this.#serverCpuMs - before;
    return { ...figures, usage: { seconds, serverCpuMs, honestCpuMs: cpuMs } };
  }

  /**
   * Takes the latencies and the usage since the last request as those without an attack, with which attacks
   * are compared.
   */
  async rest(): Promise<Figures> {
    const figures = await this.figures(false);
    this.#calmUsage = addUsage(this.#calmUsage, figures.usage);
    this.#calmMs = [...this.#calmMs, ...figures.latenciesMs].slice(-LATENCIES_KEPT);
    return figures;
  }

  get calmP99Ms(): number {
    return percentile(this.#calmMs, 0.99);
  }

  /** Usage of all times without an attack. */
  get calmUsage(): Usage {
    return this.#calmUsage;
  }

  async pad(bytes: number): Promise<void> {
    await this.honest.ask({ do: "pad", bytes }, ASK_LIMIT_MS);
  }

  /** Lets an honest player look at the room `cells`, or leave it. */
  async watch(isOn: boolean): Promise<void> {
    await this.honest.ask({ do: "watch", isOn }, ASK_LIMIT_MS);
  }

  async visits(areOn: boolean): Promise<void> {
    await this.honest.ask({ do: "visits", areOn }, ASK_LIMIT_MS);
  }

  /** Waits until only the honest players' sessions and descriptors are left, or the limit passes. */
  async settled(before: Holdings | undefined, limitMs: number): Promise<void> {
    const wanted = (before?.descriptors ?? 0) + DESCRIPTOR_SLACK;
    const endMs = performance.now() + limitMs;
    while (performance.now() < endMs && this.server.exit === undefined) {
      const sessions = sumOf(await this.server.metrics(), "sessions{");
      if (sessions <= HONEST_SESSIONS && (before === undefined || this.server.descriptors <= wanted)) break;
      await sleep(100);
    }
  }

  /**
   * Returns the server's resources after a garbage collection. The collection delays everybody, so those
   * latencies are
   * dropped.
   */
  async holdings(): Promise<Holdings | undefined> {
    await this.rest();
    const holdings = await this.server.holdings();
    await this.figures(false);
    return holdings;
  }

  async close(): Promise<void> {
    await this.honest.end();
    await this.server.stop();
  }
}

/** Four players of a relay room, two of an arena, and up to two visitors. */
const HONEST_SESSIONS = 8;
/** Descriptors that may remain: a visitor comes or goes, or the metrics are read. */
export const DESCRIPTOR_SLACK = 6;

export function percentile(values: readonly number[], share: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))] ?? Number.POSITIVE_INFINITY;
}

/** Returns the sum of all counters whose name with labels begins with `prefix`. */
export function sumOf(metrics: ReadonlyMap<string, number> | undefined, prefix: string): number {
  let sum = 0;
  for (const [name, value] of metrics ?? []) if (name.startsWith(prefix)) sum += value;
  return sum;
}
