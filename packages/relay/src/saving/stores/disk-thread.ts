import { Worker } from "node:worker_threads";

/** A task as the program of the thread gets it. */
export interface DiskTask {
  readonly kind: string;
  readonly bytes?: Uint8Array;
}

/** The answer of the program to the task of that number. */
interface DiskAnswer {
  readonly number: number;
  readonly value?: unknown;
  readonly error?: { readonly message: string; readonly code?: string; readonly errcode?: number };
}

/** An error of the thread. `code` is that of the system, `errcode` SQLite's own number. */
export type DiskError = Error & { readonly code?: string; readonly errcode?: number };

/** Begins each program. `serve` answers each task by the function of its kind. */
const COMMON = `
const { parentPort, workerData } = require("node:worker_threads");
const fs = require("node:fs");
function serve(tasks) {
  parentPort.on("message", ({ number, task }) => {
    try {
      parentPort.postMessage({ number, value: tasks[task.kind](task) });
    } catch ({ message, code, errcode }) {
      parentPort.postMessage({ number, error: { message, code, errcode } });
    }
    if (task.kind === "close") parentPort.close();
  });
}
`;

interface Asked {
  resolve(value: unknown): void;
  reject(error: unknown): void;
}

/**
 * A thread that waits for the disk, so that the server's loop need not: a task costs the loop two messages, a
 * quarter of what the asynchronous calls for a save do. Node's own threads stay free, too. The program is text,
 * so that a bundler finds no file that it would have to copy. The thread starts with the first task, and again
 * after it has failed.
 */
export class DiskThread<Task extends DiskTask> {
  readonly #program: string;
  readonly #data: object;
  #worker: Worker | undefined;
  readonly #asked = new Map<number, Asked>();
  #number = 0;

  constructor(program: string, data: object) {
    this.#program = COMMON + program;
    this.#data = data;
  }

  /** Rejects with a {@link DiskError}. The bytes go to the thread, and cannot be used here any more. */
  ask(task: Task): Promise<unknown> {
    const worker = (this.#worker ??= this.#started());
    const number = ++this.#number;
    return new Promise((resolve, reject) => {
      this.#asked.set(number, { resolve, reject });
      // A process does not end while a save is under way, and does not stay for an idle thread.
      worker.ref();
      worker.postMessage({ number, task }, task.bytes ? [task.bytes.buffer as ArrayBuffer] : []);
    });
  }

  /** Ends the thread when it has done its tasks. Every program knows the task "close". */
  async close(task: Task): Promise<void> {
    if (this.#worker) await this.ask(task);
    this.#worker = undefined;
  }

  #started(): Worker {
    const worker = new Worker(this.#program, { eval: true, workerData: this.#data, execArgv: [] });
    worker.on("message", ({ number, value, error }: DiskAnswer) => {
      const asked = this.#asked.get(number);
      this.#asked.delete(number);
      if (this.#asked.size === 0) worker.unref();
      if (error) asked?.reject(Object.assign(new Error(error.message), error));
      else asked?.resolve(value);
    });
    const failed = (error: unknown): void => {
      if (this.#worker !== worker) return;
      this.#worker = undefined;
      for (const asked of this.#asked.values()) asked.reject(error);
      this.#asked.clear();
    };
    worker.on("error", failed);
    worker.on("exit", () => failed(new Error("the thread that writes has ended")));
    return worker;
  }
}
