import { write } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/** Destination of lines. `done` is called once, with an error if the bytes were not written; it may never be called. */
export type Output = (chunk: Buffer, done: (error?: Error | null) => void) => void;

/** Size of the queue: a second of a busy log and more. The sink drops and counts lines beyond it. */
const MAX_QUEUED_BYTES = 1_048_576;
/** Size of one write. */
const CHUNK_BYTES = 65_536;
/** After an error (a full disk, a reader that is gone), nothing is tried for so long. */
const RETRY_MS = 1000;

/**
 * Lines on their way to a file or a pipe that may be full, slow or gone. Whoever writes one never waits for it and never
 * hears of an error: what cannot be written is dropped and counted, and a line says so when there is a way again.
 */
export class LogSink {
  readonly #output: Output;
  #lines: string[] = [];
  #queuedBytes = 0;
  #isWriting = false;
  #dropped = 0;
  #reported = 0;
  #onIdle: (() => void) | undefined;

  constructor(output: Output) {
    this.#output = output;
  }

  /** Lines that were lost since the start. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Takes a line, its end included. */
  write(line: string): void {
    // Text of a log is nearly always ASCII: its length is its size.
    if (this.#queuedBytes + line.length > MAX_QUEUED_BYTES) {
      this.#dropped += 1;
      return;
    }
    this.#queuedBytes += line.length;
    this.#lines.push(line);
    this.#next();
  }

  /** Resolves when all lines are written, or after `timeoutMs`. */
  flush(timeoutMs: number): Promise<void> {
    if (!this.#isWriting) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, timeoutMs);
      this.#onIdle = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  #next(): void {
    if (this.#isWriting) return;
    const lines = this.#take();
    if (lines.length === 0) return this.#onIdle?.();
    this.#isWriting = true;
    const told = this.#dropped;
    const isTelling = told > this.#reported;
    const text = isTelling ? lines.join("") + lineOfDropped(told) : lines.join("");
    this.#output(Buffer.from(text), (error) => {
      if (error) return this.#failed(lines.length);
      if (isTelling) this.#reported = told;
      this.#written();
    });
  }

  /** Lines for one chunk. */
  #take(): string[] {
    let [count, bytes] = [0, 0];
    while (count < this.#lines.length && (count === 0 || bytes + this.#lines[count]!.length <= CHUNK_BYTES)) {
      bytes += this.#lines[count]!.length;
      count += 1;
    }
    this.#queuedBytes -= bytes;
    return this.#lines.splice(0, count);
  }

  #written(): void {
    this.#isWriting = false;
    this.#next();
  }

  #failed(lines: number): void {
    this.#dropped += lines;
    // A log must not keep a process that wants to end.
    setTimeout(() => this.#written(), RETRY_MS).unref();
  }
}

function lineOfDropped(dropped: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: "warn", time, dropped, msg: "the log has lost lines since the start" })}\n`;
}

/**
 * The way to the standard error. A pipe is written without waiting by Node itself; a file, a device or a terminal by a
 * thread, since Node would stop the event loop for it. Not asked with `fstatSync`: after that of a pipe, Node 20 leaves
 * the links in the paths of modules as they are, and a game that is loaded then gets a second copy of every package.
 */
export function standardError(): Output {
  const isPipe = process.stderr instanceof Socket && !process.stderr.isTTY;
  return isPipe ? toStream(process.stderr) : toFile(process.stderr.fd);
}

function toStream(stream: Writable): Output {
  // The callback has the error too; without a listener it would end the process.
  stream.on("error", () => undefined);
  return (chunk, done) => void stream.write(chunk, done);
}

function toFile(fd: number): Output {
  return function append(chunk, done) {
    write(fd, chunk, (error, bytes) => {
      if (error || bytes === chunk.length) done(error);
      else append(chunk.subarray(bytes), done);
    });
  };
}
