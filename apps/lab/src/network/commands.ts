import { spawn, spawnSync, type ChildProcess, type SpawnOptions } from "node:child_process";

/** A failed command, with its error output as the message. */
export class CommandError extends Error {
  override readonly name = "CommandError";
}

/** Runs a short command to its end; `input` is its standard input. Returns its standard output. */
export function run(command: string, args: readonly string[], input?: string): string {
  const result = spawnSync(command, args, { encoding: "utf8", ...(input !== undefined && { input }) });
  if (result.error) throw new CommandError(`${command}: ${result.error.message}`);
  if (result.status !== 0) throw new CommandError(`${command} ${args.join(" ")}: ${result.stderr.trim()}`);
  return result.stdout;
}

const living = new Set<ChildProcess>();

/** Starts a process that ends together with this one, however this one ends. */
export function start(command: string, args: readonly string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  living.add(child);
  child.once("exit", () => living.delete(child));
  child.once("error", () => living.delete(child));
  return child;
}

/** Ends a child: sends `first`, and after two seconds SIGKILL. */
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

/** Kills all children at once, for the end of the process when nothing can be awaited. */
export function killAll(): void {
  for (const child of living) child.kill("SIGKILL");
}
