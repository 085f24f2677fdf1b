import { write } from "node:fs";
import { Socket } from "node:net";
import type { Writable } from "node:stream";

/** Destination of lines. Calls `done` at most once, with an error if the bytes were not written. */
export type Output = (chunk: Buffer, done: (error?: Error | null) => void) => void;

/** Limit of the queue: more than a second of a busy log. The sink drops and counts lines beyond it. */
const MAX_QUEUED_BYTES = 1_048_576;
/** Size of one write. */
const CHUNK_BYTES = 65_536;
/** Pause after an error (a full disk, a closed reader). */
const RETRY_MS = 1000;

/**
 * Writes lines to a file or a pipe that may be full, slow or closed. The caller never waits and gets no
 * error. The sink drops and counts lines that it cannot write, and logs their number when it can write again.
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

  get dropped(): number {
    return this.#dropped;
  }

  /** Takes a line with its line break. */
  write(line: string): void {
    // Log text is nearly always ASCII, so its length is its size.
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
    const dropped = this.#dropped;
    const hasNewDrops = dropped > this.#reported;
    const text = hasNewDrops ? lines.join("") + lineOfDropped(dropped) : lines.join("");
    this.#output(Buffer.from(text), (error) => {
      if (error) return this.#failed(lines.length);
      if (hasNewDrops) this.#reported = dropped;
      this.#written();
    });
  }

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
    // The log must not keep the process alive.
    setTimeout(() => this.#written(), RETRY_MS).unref();
  }
}

function lineOfDropped(dropped: number): string {
  const time = new Date().toISOString();
  return `${JSON.stringify({ level: "warn", time, dropped, msg: "the log has lost lines since the start" })}\n`;
}

/**
 * Returns an output to the standard error. Node writes to a pipe without blocking. A thread writes to a file,
 * a device or a terminal, since Node would block the event loop. The code does not use `fstatSync`: after
 * `fstatSync` of a pipe, Node 20 no longer resolves links in the paths of modules, so a game would load a
 * second copy of every package.
 */
export function standardError(): Output {
  const isPipe = process.stderr instanceof Socket && !process.stderr.isTTY;
  return isPipe ? toStream(process.stderr) : toFile(process.stderr.fd);
}

function toStream(stream: Writable): Output {
  // The callback gets the error too. Without a listener it would end the process.
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
