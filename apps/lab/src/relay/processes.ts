import { answerOrders } from "../room/child-process.js";
import { countSockets, traffic } from "../room/traffic.js";
import { machineMs, readMessage, writeMessage } from "./message.js";
import type { RelayClient } from "./system.js";
import { systemNamed } from "./systems.js";

/** Arguments of a process of a run. */
export interface ChildArguments {
  readonly role: "server" | "swarm";
  readonly system: string;
  readonly port: number;
  /** Number of senders in the whole room. */
  readonly senders: number;
  readonly hz: number;
  /** Range of this swarm's senders; `end` is exclusive. */
  readonly first: number;
  readonly end: number;
}

export interface ServerFigures {
  readonly cpuSeconds: number;
  readonly seconds: number;
  readonly rssMb: number;
}

export interface SwarmFigures {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly sent: number;
  readonly delivered: number;
  readonly bytesIn: number;
  /** Latencies of every 16th message. */
  readonly latenciesMs: readonly number[];
  /** Latencies of messages that must not wait for others. */
  readonly promptLatenciesMs: readonly number[];
  /** Damaged messages since the swarm's start, not only in the measured time. */
  readonly damaged: number;
  /** Numbers missing between two messages of a sender. */
  readonly lost: number;
  readonly reordered: number;
}

const PUMP_MS = 2;
const MAX_AT_ONCE = 500;
const SAMPLE_EVERY = 16;
/** One in this many messages of a sender must not wait for others. */
const PROMPT_EVERY = 30;

export async function runServer({ system, port }: ChildArguments): Promise<void> {
  await systemNamed(system).serve(port);
  let cpu = process.cpuUsage();
  let startedMs = performance.now();
  answerOrders({
    begin() {
      cpu = process.cpuUsage();
      startedMs = performance.now();
    },
    end(): ServerFigures {
      const { user, system: kernel } = process.cpuUsage(cpu);
      const seconds = (performance.now() - startedMs) / 1000;
      return { cpuSeconds: (user + kernel) / 1e6, seconds, rssMb: process.memoryUsage.rss() / 2 ** 20 };
    },
  });
}

function isPromptNumber(number: number): boolean {
  return number % PROMPT_EVERY === 0;
}

class Tally {
  isMeasuring = false;
  delivered = 0;
  damaged = 0;
  reordered = 0;
  lost = 0;
  readonly latenciesMs: number[] = [];
  readonly promptLatenciesMs: number[] = [];

  listener(self: number): (bytes: Uint8Array) => void {
    const newest = new Map<number, number>();
    return (bytes) => {
      const message = readMessage(bytes);
      if (!message || message.sender === self) {
        this.damaged += 1;
        return;
      }
      const missing = message.number - (newest.get(message.sender) ?? message.number - 1) - 1;
      if (missing < 0) this.reordered += 1;
      else this.lost += missing;
      newest.set(message.sender, message.number);
      if (!this.isMeasuring) return;
      this.delivered += 1;
      const isPrompt = isPromptNumber(message.number);
      const latencyMs = machineMs() - message.sentMs;
      if (isPrompt) this.promptLatenciesMs.push(latencyMs);
      if (this.delivered % SAMPLE_EVERY === 0) this.latenciesMs.push(latencyMs);
    };
  }
}

export async function runSwarm({ system, port, hz, first, end }: ChildArguments): Promise<void> {
  countSockets();
  const tally = new Tally();
  const clients: RelayClient[] = [];
  for (let index = first; index < end; index++) {
    clients.push(await systemNamed(system).join({ port, onMessage: tally.listener(index) }));
  }
  const count = pumpMessages(clients, first, hz);
  let before = { sent: 0, bytesIn: 0, cpu: process.cpuUsage(), atMs: 0 };
  answerOrders({
    begin() {
      before = {
        sent: count(),
        bytesIn: traffic().tcpIn,
        cpu: process.cpuUsage(),
        atMs: performance.now(),
      };
      tally.isMeasuring = true;
    },
    end(): SwarmFigures {
      tally.isMeasuring = false;
      const { user, system: kernel } = process.cpuUsage(before.cpu);
      const { delivered, damaged, lost, reordered, latenciesMs, promptLatenciesMs } = tally;
      return {
        seconds: (performance.now() - before.atMs) / 1000,
        cpuSeconds: (user + kernel) / 1e6,
        sent: count() - before.sent,
        bytesIn: traffic().tcpIn - before.bytesIn,
        ...{ delivered, damaged, lost, reordered, latenciesMs, promptLatenciesMs },
      };
    },
  });
}

/**
 * Sends messages evenly over time, the clients in turn. Returns a function that gives the number of sent
 * messages.
 */
function pumpMessages(clients: readonly RelayClient[], first: number, hz: number): () => number {
  const startedMs = performance.now();
  const numbers = clients.map(() => 0);
  let sent = 0;
  setInterval(() => {
    const due = Math.floor(((performance.now() - startedMs) / 1000) * hz * clients.length);
    for (let now = 0; sent < due && now < MAX_AT_ONCE; now++, sent++) {
      const at = sent % clients.length;
      const message = { sender: first + at, number: numbers[at]!++, sentMs: machineMs() };
      clients[at]!.send(writeMessage(message), isPromptNumber(message.number));
    }
  }, PUMP_MS);
  return () => sent;
}
