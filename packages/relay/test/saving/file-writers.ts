import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { onTestFinished } from "vitest";
import { fileStore, silentLog } from "../../src/index.js";
import { newDirectory } from "./new-directory.js";

/** Waits for the first message of a process, and fails if it ends without one. */
export async function firstMessage(child: ChildProcess): Promise<void> {
  const ended = once(child, "exit").then(() => {
    throw new Error("the process ended before its first message");
  });
  await Promise.race([once(child, "message"), ended]);
  ended.catch(() => undefined);
}

/** Starts a process that opens the directory: see file-writer.mjs. */
export function startWriter(task: "hold" | "write", directory: string): ChildProcess {
  const program = fileURLToPath(new URL("file-writer.mjs", import.meta.url));
  const child = fork(program, [task, directory], {
    execArgv: [],
    stdio: ["ignore", "inherit", "inherit", "ipc"],
  });
  onTestFinished(() => void child.kill("SIGKILL"));
  return child;
}

export async function killed(child: ChildProcess): Promise<void> {
  const exit = once(child, "exit");
  child.kill("SIGKILL");
  await exit;
}

/** What was found after the kills of {@link killWriters}. */
interface AfterKills {
  readonly rooms: number;
  /** Saves that could not be read. */
  readonly damaged: readonly unknown[];
  /** Rooms whose newest save was older than one that had been confirmed. */
  readonly lost: readonly string[];
}

/** Kills processes that save two rooms without end, each on the directory of the one before. */
export async function killWriters(kills: number): Promise<AfterKills> {
  const directory = await newDirectory();
  const confirmed = new Map<string, number>();
  const damaged: unknown[] = [];
  const lost: string[] = [];
  for (let kill = 0; kill < kills; kill++) {
    const writer = startWriter("write", directory);
    writer.on("message", ({ id, count }: { id: string; count: number }) => confirmed.set(id, count));
    await firstMessage(writer);
    await sleep((kill * 7) % 40);
    await killed(writer);
    const store = fileStore(directory, { log: { ...silentLog, error: (...line) => damaged.push(line) } });
    for (const [id, count] of confirmed) {
      const [newest] = await store.load(id);
      const kept = newest && Number(Buffer.from(newest).toString().split(" ", 1)[0]);
      if (!(kept && kept >= count)) lost.push(`${id} after kill ${kill}: ${kept} instead of ${count}`);
    }
    await store.close?.();
  }
  return { rooms: confirmed.size, damaged, lost };
}
