import { setTimeout as pause } from "node:timers/promises";
import { RACE_TICK_HZ } from "../net/grand-prix.js";
import type { BotOptions } from "./bot-options.js";
import { Bot } from "./bot.js";
import { ServerFigures } from "./server-figures.js";

/** Joins that are under way at once. */
const JOINS_AT_ONCE = 10;

interface Quantiles {
  readonly p50: number;
  readonly p95: number;
  readonly p99: number;
  readonly max: number;
}

function quantilesOf(values: readonly number[]): Quantiles {
  const sorted = [...values].sort((a, b) => a - b);
  const at = (share: number): number => round(sorted[Math.ceil(share * sorted.length) - 1] ?? Number.NaN);
  return { p50: at(0.5), p95: at(0.95), p99: at(0.99), max: at(1) };
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Bots in this process, and the figures of their stay. */
export class Swarm {
  readonly #options: BotOptions;
  readonly #bots: Bot[] = [];
  readonly #failures = new Map<string, number>();
  readonly #joinMs: number[] = [];

  constructor(options: BotOptions) {
    this.#options = options;
  }

  /** All join, stay and leave. */
  async stay(server: string, metrics: string | undefined): Promise<object> {
    const { count, seconds } = this.#options;
    const timer = this.#startClock();
    try {
      await this.#joinAll(server, count);
      // What joining cost does not belong to the stay.
      for (const { bytes } of this.#bots) Object.assign(bytes, { in: 0, out: 0 });
      const before = metrics === undefined ? undefined : await ServerFigures.read(metrics);
      const startedMs = performance.now();
      const cpuBefore = process.cpuUsage();
      await pause(seconds * 1000);
      const lastedS = (performance.now() - startedMs) / 1000;
      const after = metrics === undefined ? undefined : await ServerFigures.read(metrics);
      const { user, system } = process.cpuUsage(cpuBefore);
      const botsCpuCores = round((user + system) / 1e6 / lastedS);
      return {
        ...this.#figures(lastedS),
        botsCpuCores,
        ...(before && after && serverFigures(before, after, lastedS)),
      };
    } finally {
      clearInterval(timer);
      for (const bot of this.#bots) bot.leave();
    }
  }

  /** So many joins and leaves; memory of the server after a tenth of them, and at the end. */
  async pass(server: string, metrics: string | undefined): Promise<object> {
    const { sessions } = this.#options;
    const memory: object[] = [];
    const parts = 10;
    for (let part = 1; part <= parts; part++) {
      await this.#joinAll(server, Math.round(sessions / parts), true);
      if (metrics === undefined) continue;
      const figures = await ServerFigures.read(metrics);
      memory.push({
        sessions: Math.round((sessions / parts) * part),
        heapMb: round(figures.heapMb),
        rssMb: round(figures.rssMb),
      });
    }
    return {
      sessions,
      joinMs: quantilesOf(this.#joinMs),
      failures: Object.fromEntries(this.#failures),
      memory,
    };
  }

  #startClock(): ReturnType<typeof setInterval> {
    return setInterval(() => {
      const nowMs = performance.now();
      for (const bot of this.#bots) bot.advance(nowMs);
    }, 1000 / RACE_TICK_HZ);
  }

  async #joinAll(server: string, count: number, isPassing = false): Promise<void> {
    let next = 0;
    const joinOneByOne = async (): Promise<void> => {
      while (next < count) {
        const bot = new Bot(this.#options, next++);
        try {
          await bot.join(server);
          this.#joinMs.push(bot.joinMs);
          if (isPassing) bot.leave();
          else this.#bots.push(bot);
        } catch (error) {
          const code = (error as { readonly code?: string }).code ?? String(error);
          this.#failures.set(code, (this.#failures.get(code) ?? 0) + 1);
        }
      }
    };
    await Promise.all(Array.from({ length: JOINS_AT_ONCE }, joinOneByOne));
  }

  #figures(lastedS: number): object {
    const bots = this.#bots;
    const sum = (of: (bot: Bot) => number): number => bots.reduce((total, bot) => total + of(bot), 0);
    const perPlayer = (of: (bot: Bot) => number): number =>
      round(sum(of) / Math.max(1, bots.length) / lastedS);
    return {
      players: bots.length,
      seconds: round(lastedS),
      joinMs: quantilesOf(this.#joinMs),
      failures: Object.fromEntries(this.#failures),
      rttMs: quantilesOf(bots.flatMap(({ rttMs }) => (rttMs === undefined ? [] : [rttMs]))),
      messages: { heard: sum(({ heard }) => heard), lost: sum(({ lost }) => lost) },
      drops: sum(({ drops }) => drops),
      bytesPerPlayerPerSecond: {
        in: perPlayer(({ bytes }) => bytes.in),
        out: perPlayer(({ bytes }) => bytes.out),
      },
    };
  }
}

function serverFigures(before: ServerFigures, after: ServerFigures, lastedS: number): object {
  const ms = (name: string): object => ({
    p50: after.quantileMs(name, 0.5, before),
    p95: after.quantileMs(name, 0.95, before),
    p99: after.quantileMs(name, 0.99, before),
  });
  const skipped = (of: ServerFigures): number => of.sum("paceline_ticks_skipped_total");
  return {
    server: {
      tickMs: ms("paceline_tick_seconds"),
      tickLatenessMs: ms("paceline_tick_lateness_seconds"),
      ticksSkipped: skipped(after) - skipped(before),
      cpuCores: round((after.cpuSeconds - before.cpuSeconds) / lastedS),
      heapMb: round(after.heapMb),
      rssMb: round(after.rssMb),
    },
  };
}
