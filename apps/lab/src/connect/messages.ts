import type { JoinName, SystemName } from "./system.js";

/** CPU time of a process since its start, and its memory. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssKB: number;
  /** Heap after a garbage collection. */
  readonly heapKB: number;
}

/** The kind of server in a server process. */
export type Served =
  { readonly system: SystemName; readonly roomClients?: number } | { readonly join: JoinName };

/** Orders to a process with clients. It answers each before the next one. */
export type Order =
  | { readonly do: "connect"; readonly system: SystemName; readonly url: string; readonly clients: number }
  /** Connects clients that leave at once. */
  | { readonly do: "churn"; readonly system: SystemName; readonly url: string; readonly clients: number }
  /** Connects clients at a fixed rate, no matter how many are still joining; each stays for a while. */
  | ({ readonly do: "rate"; readonly system: SystemName; readonly url: string } & JoinRate)
  | { readonly do: "echo"; readonly hz: number; readonly durationMs: number }
  | { readonly do: "disconnect" }
  | { readonly do: "reside"; readonly join: JoinName; readonly url: string }
  | { readonly do: "join"; readonly join: JoinName; readonly url: string };

export interface ConnectAnswer {
  readonly connectMs: readonly number[];
  readonly failures: number;
  readonly failure?: string;
}

/** Joins at a fixed rate. */
export interface JoinRate {
  readonly perSecond: number;
  readonly durationMs: number;
  readonly stayMs: number;
}

export interface RateAnswer extends ConnectAnswer {
  /** Time from the first request until the last client was in, ms. */
  readonly admittedWithinMs: number;
}

export interface EchoAnswer {
  readonly sent: number;
  readonly received: number;
  /** Echoes that were damaged or belong to another client. */
  readonly wrong: number;
  readonly repeated: number;
  readonly latencyMs: readonly number[];
}

export interface JoinAnswer {
  readonly joinMs: number;
}

/** An answer that reports a failure, with its text. */
export interface Fault {
  readonly fault: string;
}
