import type { ConnectAnswer, EchoAnswer, Order, RateAnswer } from "./messages.js";
import { readEcho, writeEcho } from "./echo-bytes.js";
import { systemOf } from "./systems/all.js";
import type { Connected, SystemName } from "./system.js";

const PARALLEL = 5;
/** Clients that connect at the same time in a churn, which measures memory and not speed. */
const PARALLEL_CHURN = 20;
const CONNECT_LIMIT_MS = 20_000;
/** Period at which the swarm sends due messages. Clients are spread evenly over time. */
const PUMP_MS = 2;
/** Time for the last messages to arrive after the last send. */
const SETTLE_MS = 500;

type OrderOf<Do> = Order & { readonly do: Do };

export class Swarm {
  readonly #clients: Connected[] = [];

  /** Connects clients, `PARALLEL` at a time. */
  connect({ system, url, clients }: OrderOf<"connect">): Promise<ConnectAnswer> {
    return opened({ system, url, clients, parallel: PARALLEL }, (client) => this.#clients.push(client));
  }

  /** Connects clients, each of which leaves at once. */
  churn({ system, url, clients }: OrderOf<"churn">): Promise<ConnectAnswer> {
    return opened({ system, url, clients, parallel: PARALLEL_CHURN }, (client) => client.close());
  }

  /** Connects clients at a fixed rate, no matter whether the earlier ones are in. */
  rate(order: OrderOf<"rate">): Promise<RateAnswer> {
    return joinedAtRate(order);
  }

  /** Sends messages from every client at a fixed rate, and counts the echoes. */
  async echo({ hz, durationMs }: OrderOf<"echo">): Promise<EchoAnswer> {
    const tally = { sent: 0, received: 0, wrong: 0, repeated: 0 };
    const latencyMs: number[] = [];
    const seen = this.#clients.map(() => new Set<number>());
    for (const [index, client] of this.#clients.entries()) {
      client.onEcho = (bytes) => {
        const echo = readEcho(bytes);
        if (echo?.client !== index) return void (tally.wrong += 1);
        if (seen[index]!.has(echo.sequence)) return void (tally.repeated += 1);
        seen[index]!.add(echo.sequence);
        tally.received += 1;
        latencyMs.push(performance.now() - echo.sentMs);
      };
    }
    const startMs = performance.now();
    const total = Math.floor((durationMs / 1000) * hz * this.#clients.length);
    while (tally.sent < total) {
      const due = ((performance.now() - startMs) / 1000) * hz * this.#clients.length;
      while (tally.sent < Math.min(due, total)) {
        const client = tally.sent % this.#clients.length;
        const sequence = Math.floor(tally.sent / this.#clients.length);
        tally.sent += 1;
        this.#clients[client]!.send(writeEcho({ client, sequence, sentMs: performance.now() }));
      }
      await pause(PUMP_MS);
    }
    await pause(SETTLE_MS);
    for (const client of this.#clients) client.onEcho = undefined;
    return { ...tally, latencyMs };
  }

  async disconnect(): Promise<void> {
    await Promise.all(this.#clients.splice(0).map(async (client) => await client.close()));
  }
}

/** Joins clients at a fixed rate; each leaves after `stayMs`. */
async function joinedAtRate({ system: name, url, ...rate }: OrderOf<"rate">): Promise<RateAnswer> {
  const system = await systemOf(name);
  const connectMs: number[] = [];
  const faults: string[] = [];
  let lastMs = 0;
  const startMs = performance.now();
  const joinOne = async (): Promise<void> => {
    const askedMs = performance.now();
    try {
      const client = await within(CONNECT_LIMIT_MS, system.connect(url));
      lastMs = performance.now();
      connectMs.push(lastMs - askedMs);
      await pause(rate.stayMs);
      await client.close();
    } catch (error) {
      faults.push(String(error));
    }
  };
  const total = Math.round((rate.perSecond * rate.durationMs) / 1000);
  const joins: Promise<void>[] = [];
  while (joins.length < total) {
    const due = ((performance.now() - startMs) / 1000) * rate.perSecond;
    while (joins.length < Math.min(due, total)) joins.push(joinOne());
    await pause(PUMP_MS);
  }
  await Promise.all(joins);
  return {
    connectMs,
    failures: faults.length,
    admittedWithinMs: lastMs - startMs,
    ...(faults[0] !== undefined && { failure: faults[0] }),
  };
}

interface Opening {
  readonly system: SystemName;
  readonly url: string;
  readonly clients: number;
  readonly parallel: number;
}

async function opened(
  { system: name, url, clients, parallel }: Opening,
  then: (client: Connected) => unknown,
): Promise<ConnectAnswer> {
  const system = await systemOf(name);
  const connectMs: number[] = [];
  const faults: string[] = [];
  let left = clients;
  const openNext = async (): Promise<void> => {
    while (left-- > 0) {
      const startMs = performance.now();
      try {
        const client = await within(CONNECT_LIMIT_MS, system.connect(url));
        connectMs.push(performance.now() - startMs);
        await then(client);
      } catch (error) {
        faults.push(String(error));
      }
    }
  };
  await Promise.all(Array.from({ length: parallel }, openNext));
  return { connectMs, failures: faults.length, ...(faults[0] !== undefined && { failure: faults[0] }) };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}

async function within<Value>(ms: number, done: Promise<Value>): Promise<Value> {
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`not connected within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([done, limit]);
  } finally {
    clearTimeout(timer);
  }
}
