import type { JoinName, SystemName } from "./system.js";

/** A process' use of CPU since its start, and of memory now. */
export interface Usage {
  readonly cpuMs: number;
  readonly rssKB: number;
  /** After a collection of what nobody holds. */
  readonly heapKB: number;
}

/** The kind of server in a server process. */
export type Served =
  { readonly system: SystemName; readonly roomClients?: number } | { readonly join: JoinName };

/** Requests to a process with clients, one at a time; it answers each. */
export type Order =
  | { readonly do: "connect"; readonly system: SystemName; readonly url: string; readonly clients: number }
  /** As many, each gone again as soon as it was connected. */
  | { readonly do: "churn"; readonly system: SystemName; readonly url: string; readonly clients: number }
  /** So many a second whether or not the earlier ones are in; each stays for a while and goes. */
  | ({ readonly do: "rate"; readonly system: SystemName; readonly url: string } & JoinRate)
  | { readonly do: "echo"; readonly hz: number; readonly durationMs: number }
  | { readonly do: "disconnect" }
  | { readonly do: "reside"; readonly join: JoinName; readonly url: string }
  | { readonly do: "join"; readonly join: JoinName; readonly url: string };

export interface ConnectAnswer {
  readonly connectMs: readonly number[];
  readonly failures: number;
  /** In words, what went wrong first. */
  readonly failure?: string;
}

/** Joins at a fixed rate. */
export interface JoinRate {
  readonly perSecond: number;
  readonly durationMs: number;
  readonly stayMs: number;
}

export interface RateAnswer extends ConnectAnswer {
  /** From the first request to the moment at which the last client was in. */
  readonly admittedWithinMs: number;
}

export interface EchoAnswer {
  readonly sent: number;
  readonly received: number;
  /** Damaged, or not what this client had sent. */
  readonly wrong: number;
  readonly repeated: number;
  readonly latencyMs: readonly number[];
}

export interface JoinAnswer {
  readonly joinMs: number;
}

/** An answer that is none: in words, why. */
export interface Fault {
  readonly fault: string;
}
