import type { ChildProcess } from "node:child_process";
import path from "node:path";
import { CommandError, end } from "../network/commands.js";
import { Internet } from "../network/internet.js";
import type { Namespace } from "../network/namespace.js";
import { LAB } from "../network/places.js";
import type { Wire } from "../network/wire.js";
import type { Window } from "./age-meter.js";
import type { AgesAnswer, ReceiverOptions, SenderOptions } from "./protocol.js";

export interface AgeRun extends SenderOptions, ReceiverOptions {
  readonly rttMs: number;
  /** Changes the wire while states flow; returns the windows that count. */
  readonly play: (wire: Wire) => Promise<readonly Window[]>;
}

const PORT = 8000;
const ANSWER_LIMIT_MS = 60_000;
/** Real-time priority: on a busy machine, ordinary processes delay some states by tens of milliseconds. */
const REAL_TIME = ["-r", "5"];

/** Runs sender and receiver as processes in network namespaces, the receiver behind a wire. */
export async function runAge({ rttMs, play, ...options }: AgeRun): Promise<AgesAnswer> {
  const internet = new Internet();
  try {
    const server = internet.addServer("sender", 10);
    const { namespace, wire } = await internet.addHost("open");
    const sender = startScript(server.namespace, "sender", [
      server.address,
      String(PORT),
      JSON.stringify(options),
    ]);
    await wordOf(sender, "the sender");
    await wire.set({ delayMs: rttMs / 2 });
    const receiver = startScript(namespace, "receiver", [
      `ws://${server.address}:${PORT}`,
      JSON.stringify(options),
    ]);
    await wordOf(receiver, "the receiver");
    sender.send("go");
    const windows = await play(wire);
    const answered = wordOf(receiver, "the receiver");
    receiver.send(windows);
    const ages = await answered;
    await Promise.all([end(sender), end(receiver)]);
    return ages as AgesAnswer;
  } finally {
    await internet.remove();
  }
}

function startScript(namespace: Namespace, name: string, args: readonly string[]): ChildProcess {
  const script = path.join(LAB, `dist/age/${name}.js`);
  const stdio = ["ignore", "inherit", "inherit", "ipc"] as ("ignore" | "inherit" | "ipc")[];
  return namespace.start("chrt", [...REAL_TIME, process.execPath, script, ...args], { stdio });
}

function wordOf(child: ChildProcess, who: string): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const limit = setTimeout(() => reject(new CommandError(`${who} said nothing`)), ANSWER_LIMIT_MS);
    child.once("message", (message) => {
      clearTimeout(limit);
      resolve(message);
    });
    child.once("exit", (code) => reject(new CommandError(`${who} ended with code ${code}`)));
  });
}
