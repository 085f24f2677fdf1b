import type { Captures } from "./hostile/captures.js";
import type { MainThread } from "./main-thread.js";

/** Measurements of one stage's honest players since the last request. */
export interface HonestFigures {
  readonly sent: number;
  readonly received: number;
  /** Messages that were skipped by a later one, or had not come when the players stopped waiting. */
  readonly lost: number;
  readonly twice: number;
  /** Times from `send` to the receiver's listener, ms, of all received messages. */
  readonly latenciesMs: readonly number[];
  readonly joins: number;
  readonly joinMsMax: number;
  /** Harm to an honest player: a join that failed, a session that ended, a `send` that threw. */
  readonly faults: readonly string[];
  readonly consoleLines: number;
  readonly seconds: number;
  /** CPU time of the process, ms. */
  readonly cpuMs: number;
  readonly cpuSamples: readonly CpuSample[];
  /** Counts of the player that watches. */
  readonly stateCounts: readonly StateCount[];
}

/** CPU time of a process since its start. Times are in ms since 1970, since several processes compare them. */
export interface CpuSample extends MainThread {
  readonly atMs: number;
  readonly cpuMs: number;
}

/** States of cells that have arrived since the player joined, and the newest tick of them. */
export interface StateCount {
  readonly atMs: number;
  readonly tick: number;
  readonly states: number;
}

export const epochMs = (): number => performance.timeOrigin + performance.now();

/** Orders to the process of honest players. */
export type HonestOrder =
  | { readonly do: "begin"; readonly url: string }
  | { readonly do: "record"; readonly url: string }
  /** With `isSettled`, waits until all sent messages have arrived. */
  | { readonly do: "figures"; readonly isSettled: boolean }
  /** Turns visitors on or off: a full server has no seat for them. */
  | { readonly do: "visits"; readonly areOn: boolean }
  /** Makes the players' messages longer. */
  | { readonly do: "pad"; readonly bytes: number }
  /** Lets another player join the room `cells` and look, or leave it. */
  | { readonly do: "watch"; readonly isOn: boolean };

/** Order to a hostile process. */
export interface HostileOrder {
  readonly attack: string;
  readonly url: string;
  readonly adminUrl: string;
  readonly adminToken: string;
  readonly honestRoomId: string;
  readonly seed: number;
  /** Longest duration, s. */
  readonly seconds: number;
  /** Number of items after which the attack ends. */
  readonly count: number;
  readonly captures: Captures;
  /** True if a participant of the honest room accepts direct links. */
  readonly hasPage: boolean;
}

/** A hostile process's report. */
export interface HostileReport {
  readonly sent: Readonly<Record<string, number>>;
  /** Time of the attack itself, without the joins before it. */
  readonly beganAtMs: number;
  readonly endedAtMs: number;
  /** Bytes that were written to sockets and channels. */
  readonly sentBytes: number;
  /** Bytes of packets for honest players, each once for every receiver. */
  readonly routedBytes: number;
  /** Sockets that the server ended, by WebSocket close code. */
  readonly closes: Readonly<Record<number, number>>;
  /** Observations that no case allows. */
  readonly failures: readonly string[];
}

export interface Answer {
  readonly value?: unknown;
  readonly fault?: string;
}

/** Executes orders of the parent process one after the other. The process ends with its parent. */
export function serveOrders(obey: (order: never) => Promise<unknown>): void {
  let last: Promise<unknown> = Promise.resolve();
  process.on("message", (order: unknown) => {
    last = last
      .then(() => obey(order as never))
      .then(
        (value) => process.send?.({ value } satisfies Answer),
        (error: unknown) => {
          const fault = error instanceof Error ? (error.stack ?? error.message) : String(error);
          process.send?.({ fault } satisfies Answer);
        },
      );
  });
  process.on("disconnect", () => process.exit());
  process.send?.({ value: "ready" } satisfies Answer);
}
