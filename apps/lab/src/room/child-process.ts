/** Arguments of the two processes of a run. */
export interface ChildArguments {
  readonly role: "server" | "swarm";
  readonly system: string;
  readonly port: number;
  readonly players: number;
}

export type Order = "begin" | "end";

export interface ServerFigures {
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly rssMb: number;
  /** Resident size before anybody joins, MB. */
  readonly emptyRssMb: number;
  readonly inputs: number;
  readonly ticks: number;
  /** How often a thread of the process waited and was woken, for inputs that arrive, timers and answers. */
  readonly wakeUps: number;
}

export interface SwarmFigures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly states: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** The part of `bytesIn` that came over data channels. */
  readonly channelBytesIn: number;
  readonly latencyMsP50: number;
  readonly latencyMsP99: number;
  /** States whose decoded values differ from the sent ones. */
  readonly wrong: number;
  /** States whose echo of the client's own input is too old, or older than the echo before. */
  readonly stale: number;
  readonly example: string | undefined;
}

/** Answers orders of the parent process. The process ends with its parent. */
export function answerOrders(answers: Readonly<Record<Order, () => unknown>>): void {
  process.on("message", (order: Order) => process.send?.({ order, figures: answers[order]() }));
  process.on("disconnect", () => process.exit());
  process.send?.({ order: "ready" });
}
