import { setTimeout as pause } from "node:timers/promises";
import type { ByteMeter, WebRtc } from "./byte-meter.js";
import { ServerFigures } from "./server-figures.js";

const JOINS_AT_ONCE = 10;

/** One player of a swarm. */
export interface SwarmBot {
  readonly bytes: ByteMeter;
  readonly joinMs: number;
  readonly rttMs: number | undefined;
  /** Links that carry its states, to the server or to each of its peers. */
  readonly paths: readonly string[];
  /** Messages of other bots that arrived (`heard`) and that did not (`lost`). */
  readonly heard: number;
  readonly lost: number;
  /** Number of times that its connection was lost. */
  readonly drops: number;
  /** Joins the room. `webRtc`: undefined for WebSockets only. */
  join(server: string, webRtc: WebRtc | undefined): Promise<void>;
  /** Called at each step of the swarm's clock. */
  advance(nowMs: number): void;
  leave(): void;
}

/** How many bots join, for how long, and how often they come and go. */
export interface SwarmOptions {
  readonly count: number;
  /** Time that bots stay after the last one has joined, s. */
  readonly seconds: number;
  /** Number of joins and leaves in {@link Swarm.pass}. */
  readonly sessions: number;
  /** Calls of {@link SwarmBot.advance} per second. */
  readonly stepHz: number;
  makeBot(index: number): SwarmBot;
}

/** Figures of bots that joined and stayed. */
export interface StayFigures {
  readonly players: number;
  readonly seconds: number;
  readonly joinMs: Quantiles;
  readonly failures: Readonly<Record<string, number>>;
  readonly rttMs: Quantiles;
  readonly messages: { readonly heard: number; readonly lost: number };
  readonly drops: number;
  /** Number of links that carry states, by kind. */
  readonly paths: Readonly<Record<string, number>>;
  readonly bytesPerPlayerPerSecond: { readonly in: number; readonly out: number };
  readonly botsCpuCores: number;
  readonly server: ServerShare | undefined;
}

interface ServerShare {
  readonly tickMs: Omit<Quantiles, "max">;
  readonly tickLatenessMs: Omit<Quantiles, "max">;
  readonly ticksSkipped: number;
  readonly cpuCores: number;
  readonly heapMb: number;
  readonly rssMb: number;
}

interface Memory {
  readonly sessions: number;
  readonly heapMb: number;
  readonly rssMb: number;
}

/** Results of one pass of joins and leaves. */
export interface PassFigures {
  readonly sessions: number;
  readonly joinMs: Quantiles;
  readonly failures: Readonly<Record<string, number>>;
  readonly memory: readonly Memory[];
}

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

function tallyOf(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}

/** Bots in this process, and the figures of their stay. */
export class Swarm {
  readonly #options: SwarmOptions;
  readonly #bots: SwarmBot[] = [];
  readonly #failures = new Map<string, number>();
  readonly #joinMs: number[] = [];
  readonly #webRtc: WebRtc | undefined;

  constructor(options: SwarmOptions, webRtc: WebRtc | undefined) {
    this.#options = options;
    this.#webRtc = webRtc;
  }

  async stay(server: string, metrics: string | undefined): Promise<StayFigures> {
    const { count, seconds } = this.#options;
    const timer = this.#startClock();
    try {
      await this.#joinAll(server, count);
      // The cost of joining does not belong to the stay.
      for (const { bytes } of this.#bots) bytes.reset();
      const before = metrics === undefined ? undefined : await ServerFigures.read(metrics);
      const startedMs = performance.now();
      const cpuBefore = process.cpuUsage();
      await pause(seconds * 1000);
      const lastedS = (performance.now() - startedMs) / 1000;
      const after = metrics === undefined ? undefined : await ServerFigures.read(metrics);
      const { user, system } = process.cpuUsage(cpuBefore);
      const botsCpuCores = round((user + system) / 1e6 / lastedS);
      const share = before && after && serverShare(before, after, lastedS);
      return { ...this.#figures(lastedS), botsCpuCores, server: share };
    } finally {
      clearInterval(timer);
      for (const bot of this.#bots) bot.leave();
    }
  }

  /**
   * Lets bots join and leave, as often as `sessions` says. Reads the server's memory after each twentieth of
   * them.
   */
  async pass(server: string, metrics: string | undefined): Promise<PassFigures> {
    const { sessions } = this.#options;
    const memory: Memory[] = [];
    const parts = 20;
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
    }, 1000 / this.#options.stepHz);
  }

  async #joinAll(server: string, count: number, isPassing = false): Promise<void> {
    // Made before the first join, since the time to plan a race must not be measured.
    const bots = Array.from({ length: isPassing ? 0 : count }, (_, index) => this.#options.makeBot(index));
    let next = 0;
    const joinOneByOne = async (): Promise<void> => {
      while (next < count) {
        const index = next++;
        const bot = bots[index] ?? this.#options.makeBot(index);
        try {
          await bot.join(server, this.#webRtc);
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

  #figures(lastedS: number): Omit<StayFigures, "botsCpuCores" | "server"> {
    const bots = this.#bots;
    const sum = (of: (bot: SwarmBot) => number): number => bots.reduce((total, bot) => total + of(bot), 0);
    const perPlayer = (of: (bot: SwarmBot) => number): number =>
      round(sum(of) / Math.max(1, bots.length) / lastedS);
    return {
      players: bots.length,
      seconds: round(lastedS),
      joinMs: quantilesOf(this.#joinMs),
      failures: Object.fromEntries(this.#failures),
      rttMs: quantilesOf(bots.flatMap(({ rttMs }) => (rttMs === undefined ? [] : [rttMs]))),
      messages: { heard: sum(({ heard }) => heard), lost: sum(({ lost }) => lost) },
      drops: sum(({ drops }) => drops),
      paths: tallyOf(bots.flatMap(({ paths }) => paths)),
      bytesPerPlayerPerSecond: {
        in: perPlayer(({ bytes }) => bytes.in),
        out: perPlayer(({ bytes }) => bytes.out),
      },
    };
  }
}

function serverShare(before: ServerFigures, after: ServerFigures, lastedS: number): ServerShare {
  const ms = (name: string): ServerShare["tickMs"] => ({
    p50: after.quantileMs(name, 0.5, before),
    p95: after.quantileMs(name, 0.95, before),
    p99: after.quantileMs(name, 0.99, before),
  });
  const skipped = (of: ServerFigures): number => of.sum("paceline_ticks_skipped_total");
  return {
    tickMs: ms("paceline_tick_seconds"),
    tickLatenessMs: ms("paceline_tick_lateness_seconds"),
    ticksSkipped: skipped(after) - skipped(before),
    cpuCores: round((after.cpuSeconds - before.cpuSeconds) / lastedS),
    heapMb: round(after.heapMb),
    rssMb: round(after.rssMb),
  };
}
