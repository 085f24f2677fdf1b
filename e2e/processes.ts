import { spawn, type ChildProcess, type SpawnOptions } from "node:child_process";

const living = new Set<ChildProcess>();

// A test that fails or times out may skip its clean-up, but its processes must not outlive the tests.
process.on("exit", () => {
  for (const child of living) child.kill("SIGKILL");
});

export function startProcess(command: string, args: string[], options: SpawnOptions): ChildProcess {
  const child = spawn(command, args, options);
  living.add(child);
  child.once("exit", () => living.delete(child));
  child.once("error", () => living.delete(child));
  return child;
}

/** Ends a child: sends `first`, and after two seconds SIGKILL. */
export async function endProcess(child: ChildProcess, first: NodeJS.Signals = "SIGTERM"): Promise<void> {
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
