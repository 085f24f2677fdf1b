import { randomUUID } from "node:crypto";
import { readFileSync, readdirSync } from "node:fs";

const NAME = "PACELINE_TEST_RUN";

/** All processes that a test starts, found by a variable that they inherit. Linux only. */
export class MarkedProcesses {
  readonly #mark = randomUUID();

  get environment(): NodeJS.ProcessEnv {
    return { ...process.env, [NAME]: this.#mark };
  }

  get pids(): number[] {
    return readdirSync("/proc")
      .map(Number)
      .filter((pid) => pid > 0 && this.#has(pid));
  }

  /** Resolves with the processes that are left when the time is up, or as soon as none is. */
  async left(limitMs: number): Promise<number[]> {
    const endMs = performance.now() + limitMs;
    while (this.pids.length > 0 && performance.now() < endMs)
      await new Promise((resolve) => setTimeout(resolve, 20));
    return this.pids;
  }

  kill(): void {
    for (const pid of this.pids) process.kill(pid, "SIGKILL");
  }

  /** Returns the processes whose command line contains the text. */
  of(text: string): number[] {
    return this.pids.filter((pid) => fileOf(pid, "cmdline").includes(text));
  }

  #has(pid: number): boolean {
    return fileOf(pid, "environ").includes(`${NAME}=${this.#mark}`);
  }
}

/** Empty for a process that has ended, or belongs to another user. */
function fileOf(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, "utf8");
  } catch {
    return "";
  }
}
