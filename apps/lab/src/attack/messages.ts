import type { Captures } from "./captures.js";

/** What honest players of one stage have measured since the last time they were asked. */
export interface HonestFigures {
  readonly sent: number;
  readonly received: number;
  /** Messages of which a later one came, or that had not come when the players had waited for them. */
  readonly lost: number;
  readonly twice: number;
  /** Of every message that came, from `send` to the receiver's listener. */
  readonly latenciesMs: readonly number[];
  readonly joins: number;
  readonly joinMsMax: number;
  /** What must not happen to an honest player: a join that failed, a session that ended, a `send` that threw. */
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
  /** Whether visitors come: where the server has no place for anybody, none can. */
  | { readonly do: "visits"; readonly areOn: boolean };

/** Settings of a hostile process. */
export interface HostileOrder {
  readonly attack: string;
  readonly url: string;
  readonly adminUrl: string;
  readonly adminToken: string;
  readonly honestRoomId: string;
  readonly seed: number;
  /** How long it may go on. */
  readonly seconds: number;
  /** How many of whatever it counts; it ends when they are sent. */
  readonly count: number;
  readonly captures: Captures;
  /** Somebody in the honest room takes direct links. */
  readonly hasPage: boolean;
}

/** What a hostile process has done and seen. */
export interface HostileReport {
  /** What was sent, by a name for it. */
  readonly sent: Readonly<Record<string, number>>;
  /** Ends of its sockets, by WebSocket close code. */
  readonly closes: Readonly<Record<number, number>>;
  /** What must not be. */
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
