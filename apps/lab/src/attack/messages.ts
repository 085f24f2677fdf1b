import type { Captures } from "./captures.js";

/** The measurements of one stage's honest players since the last request. */
export interface HonestFigures {
  readonly sent: number;
  readonly received: number;
  /** Messages of which a later one came, or that had not come when the players had waited for them. */
  readonly lost: number;
  readonly twice: number;
  /** Time of every message that came, from `send` to the receiver's listener. */
  readonly latenciesMs: readonly number[];
  readonly joins: number;
  readonly joinMsMax: number;
  /** Harm to an honest player: a join that failed, a session that ended, a `send` that threw. */
  readonly faults: readonly string[];
  /** Lines that the SDK has written to the console. */
  readonly consoleLines: number;
}

/** To the process of honest players. */
export type HonestOrder =
  | { readonly do: "begin"; readonly url: string }
  | { readonly do: "record"; readonly url: string }
  /** `isSettled`: waits until all that was sent has arrived. */
  | { readonly do: "figures"; readonly isSettled: boolean }
  /** True if visitors come: a full server has no place for them. */
  | { readonly do: "visits"; readonly areOn: boolean };

/** Settings of a hostile process. */
export interface HostileOrder {
  readonly attack: string;
  readonly url: string;
  readonly adminUrl: string;
  readonly adminToken: string;
  readonly honestRoomId: string;
  readonly seed: number;
  /** The longest time it may run. */
  readonly seconds: number;
  /** The number of items to send; the attack ends when they are sent. */
  readonly count: number;
  readonly captures: Captures;
  /** Somebody in the honest room takes direct links. */
  readonly hasPage: boolean;
}

/** A hostile process' report. */
export interface HostileReport {
  /** Counts of the sent items, by name. */
  readonly sent: Readonly<Record<string, number>>;
  /** Ends of its sockets, by WebSocket close code. */
  readonly closes: Readonly<Record<number, number>>;
  /** Faults: observations that no case allows. */
  readonly failures: readonly string[];
}

export interface Answer {
  readonly value?: unknown;
  readonly fault?: string;
}

/** Serves orders of the parent process one after the other; a process whose parent is gone ends. */
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
