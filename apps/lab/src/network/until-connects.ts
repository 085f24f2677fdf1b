import { CommandError, run } from "./commands.js";
import type { Namespace } from "./namespace.js";

const LIMIT_MS = 10_000;

/** Waits until a process inside a namespace listens on a TCP port. Throws after 10 s. */
export async function untilConnects(namespace: Namespace, address: string, port: number): Promise<void> {
  const deadlineMs = performance.now() + LIMIT_MS;
  for (;;) {
    const listening = run("ip", ["netns", "exec", namespace.name, "ss", "-Hltn", `src ${address}:${port}`]);
    if (listening.trim() !== "") return;
    if (performance.now() > deadlineMs) throw new CommandError(`nobody listens on ${address}:${port}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
