/** Arguments of a run's two processes; their requests and answers follow. */
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
  /** Its use before anybody joined. */
  readonly emptyRssMb: number;
  readonly inputs: number;
  readonly ticks: number;
}

export interface SwarmFigures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly states: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  /** Of `bytesIn`, over data channels. */
  readonly channelBytesIn: number;
  readonly latencyMsP50: number;
  readonly latencyMsP99: number;
  /** States that did not say what they had to. */
  readonly wrong: number;
  /** States whose echo of one's own input was too old, or older than the one before. */
  readonly stale: number;
  readonly example: string | undefined;
}

/** Answers every order; a process whose parent is gone ends. */
export function answerOrders(answers: Readonly<Record<Order, () => unknown>>): void {
  process.on("message", (order: Order) => process.send?.({ order, figures: answers[order]() }));
  process.on("disconnect", () => process.exit());
  process.send?.({ order: "ready" });
}
