import { closeSync, openSync, readSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { performance } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { driverStore, fileStore, memoryStore, silentLog, type RoomStore } from "@paceline/relay";

/** The loop may spend this on writing a save of {@link BOUND_BYTES}, ms. */
export const MAX_LOOP_MS = 0.2;
export const BOUND_BYTES = 16_384;

/** A number, or "none" where it cannot be measured. */
type Figure = number | "none";

/** Figures of one store and one size. */
export type SaveFigures = {
  readonly store: string;
  readonly bytes: number;
  readonly saves: number;
  /** Processor time of the loop's thread for one save, from its call until it resolved, ms. Linux only. */
  readonly cpuP50Ms: Figure;
  readonly cpuP99Ms: Figure;
  /** Time that the loop ran meanwhile, ms. On a busy machine it includes waiting for a processor. */
  readonly loopP50Ms: Figure;
  readonly loopP99Ms: Figure;
  /** Time until it resolved, ms: mostly the disk's. */
  readonly totalP50Ms: Figure;
  readonly totalP99Ms: Figure;
};

type StoreName = "files" | "memory" | "driver";

/** Saves a room again and again, each save when the one before has ended and the loop was idle. */
export async function measureSaves(name: StoreName, bytes: number, saves: number): Promise<SaveFigures> {
  const directory = await mkdtemp(path.join(tmpdir(), "paceline-bench-"));
  const store = storeOf(name, directory);
  const content = Uint8Array.from({ length: bytes }, (_, index) => (index * 31) & 0xff);
  const clock = threadClock();
  const cpu: number[] = [];
  const loop: number[] = [];
  const total: number[] = [];
  try {
    // Until the code is compiled.
    for (let count = 0; count < 200; count++) await store.save("room", content);
    for (let count = 0; count < saves; count++) {
      await sleep(1);
      const startedMs = performance.now();
      const before = performance.eventLoopUtilization();
      const cpuBeforeMs = clock.nowMs();
      await store.save("room", content);
      const cpuMs = clock.nowMs();
      if (cpuMs !== undefined && cpuBeforeMs !== undefined) cpu.push(cpuMs - cpuBeforeMs);
      loop.push(performance.eventLoopUtilization(before).active);
      total.push(performance.now() - startedMs);
    }
  } finally {
    clock.close();
    await store.close?.();
    await rm(directory, { recursive: true, force: true });
  }
  return {
    ...{ store: name, bytes, saves },
    ...{ cpuP50Ms: quantile(cpu, 0.5), cpuP99Ms: quantile(cpu, 0.99) },
    ...{ loopP50Ms: quantile(loop, 0.5), loopP99Ms: quantile(loop, 0.99) },
    ...{ totalP50Ms: quantile(total, 0.5), totalP99Ms: quantile(total, 0.99) },
  };
}

function storeOf(name: StoreName, directory: string): RoomStore {
  const options = { log: silentLog };
  switch (name) {
    case "files":
      return fileStore(directory, options);
    case "memory":
      return memoryStore();
    case "driver": {
      const items = new Map<string, Uint8Array>();
      const driver = {
        getItemRaw: (key: string) => items.get(key),
        setItemRaw: (key: string, value: Uint8Array) => items.set(key, value),
        removeItem: (key: string) => items.delete(key),
        getKeys: () => [...items.keys()],
      };
      return driverStore(driver, options);
    }
  }
}

/** Processor time of this thread, as Linux counts it. */
function threadClock(): { nowMs(): number | undefined; close(): void } {
  const buffer = Buffer.alloc(64);
  try {
    const file = openSync(`/proc/self/task/${process.pid}/schedstat`, "r");
    return {
      nowMs: () =>
        Number(buffer.toString("latin1", 0, readSync(file, buffer, 0, 64, 0)).split(" ", 1)[0]) / 1e6,
      close: () => closeSync(file),
    };
  } catch {
    return { nowMs: () => undefined, close: () => undefined };
  }
}

function quantile(values: readonly number[], share: number): Figure {
  const sorted = [...values].sort((a, b) => a - b);
  const value = sorted[Math.min(sorted.length - 1, Math.floor(share * sorted.length))];
  return value === undefined ? "none" : Math.round(value * 1000) / 1000;
}
