import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";

/** A command that did not do what it was asked to; the message has its own words. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Runs a short command to its end; what it needs on its standard input is `input`. */
export function run(command: string, args: readonly string[], input?: string): string {
  const result = spawnSync(command, args, { encoding: "utf8", ...(input !== undefined && { input }) });
  if (result.error) throw new CommandError(`${command}: ${result.error.message}`);
  if (result.status !== 0) throw new CommandError(`${command} ${args.join(" ")}: ${result.stderr.trim()}`);
  return result.stdout;
}

const living = new Set<ChildProcess>();

/** Starts a process that ends with this one at the latest, however this one ends. */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  living.add(child);
  child.once("exit", () => living.delete(child));
  child.once("error", () => living.delete(child));
  return child;
}

/** Ends a child for certain: asks, waits two seconds, insists. */
export async function end(child: ChildProcess, first: NodeJS.Signals = "SIGTERM"): Promise<void> {
  if (!living.has(child)) return;
  await new Promise<void>((resolve) => {
    const insist = setTimeout(() => child.kill("SIGKILL"), 2000);
    child.once("exit", () => {
      clearTimeout(insist);
      resolve();
    });
    child.kill(first);
  });
}

/** At the very end, where nothing can be awaited any more. */
export function killAll(): void {
  for (const child of living) child.kill("SIGKILL");
}
