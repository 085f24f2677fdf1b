import { monitorEventLoopDelay } from "node:perf_hooks";

/** Arguments of the processes of a probe. */
export interface ChildArguments {
  readonly role: "server" | "bots" | "checkers";
  readonly system: string;
  readonly port: number;
  readonly players: number;
  readonly roomPlayers: number;
  /** Number of this process among those of the bots. */
  readonly process: number;
  readonly processes: number;
  /** Payloads that a bot sends after its join, in base64. */
  readonly greeting: readonly string[];
  /** File for a CPU profile of the server. */
  readonly profile?: string | undefined;
}

/**
 * `join`: the players of the next stage join. There is one stage for each checker. `play`: the walkers begin to
 * move. `begin` and `end` limit the measured time.
 */
export type CapacityOrder = "join" | "play" | "begin" | "end";

/** CPU time and lateness of a process between `begin` and `end`. */
export interface LoadFigures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  /** Delay of the event loop, ms. */
  readonly delayMsP99: number;
}

export interface ServerFigures extends LoadFigures {
  readonly rssMb: number;
  /** Sum over all rooms. */
  readonly ticks: number;
  readonly inputs: number;
}

export interface BotsFigures extends LoadFigures {
  readonly bots: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Number of links that the server closed. */
  readonly lost: number;
  /** Reason of the first one. */
  readonly example: string | undefined;
}

export interface CheckersFigures extends LoadFigures {
  readonly checkers: number;
  readonly states: number;
  readonly ageMsP50: number;
  readonly ageMsP99: number;
  /** States whose values differ from the game's. */
  readonly wrong: number;
  /** States whose echo of the client's own input is too old, or older than the echo before. */
  readonly stale: number;
  readonly example: string | undefined;
}

/** Measures this process from {@link begin} to {@link end}. */
export class LoadMeter {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  #cpu = process.cpuUsage();
  #startedMs = performance.now();

  begin(): void {
    this.#delay.enable();
    this.#delay.reset();
    this.#cpu = process.cpuUsage();
    this.#startedMs = performance.now();
  }

  end(): LoadFigures {
    const { user, system } = process.cpuUsage(this.#cpu);
    this.#delay.disable();
    return {
      seconds: (performance.now() - this.#startedMs) / 1000,
      cpuSeconds: (user + system) / 1e6,
      // The histogram has the whole time between two samples.
      delayMsP99: Math.max(0, this.#delay.percentile(99) / 1e6 - RESOLUTION_MS),
    };
  }
}

const RESOLUTION_MS = 5;

/**
 * Answers orders of the parent process, each after its work is done. The process ends with its parent, and
 * with an error if the work fails.
 */
export function answerOrders<Order extends string>(answers: Readonly<Record<Order, () => unknown>>): void {
  process.on("message", (order: Order) => {
    void Promise.resolve(answers[order]()).then((figures) => process.send?.({ order, figures }));
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ order: "ready" });
}
