import type { ChildProcess } from "node:child_process";
import type { Readable } from "node:stream";
import { endProcess, startProcess } from "../processes.js";

/** An X display without a screen. Programs with a window on it end when it closes. */
export class VirtualDisplay {
  readonly name: string;
  readonly #server: ChildProcess;

  private constructor(name: string, server: ChildProcess) {
    this.name = name;
    this.#server = server;
  }

  static async start(): Promise<VirtualDisplay> {
    // With -displayfd the server picks a free number itself and writes it to that descriptor when it is ready.
    const args = ["-displayfd", "3", "-screen", "0", "1100x800x24", "-nolisten", "tcp"];
    const server = startProcess("Xvfb", args, { stdio: ["ignore", "ignore", "ignore", "pipe"] });
    const number = await new Promise<string>((resolve, reject) => {
      server.once("error", reject);
      server.once("exit", (code) =>
        reject(new Error(`Xvfb ended with code ${code} before it had a display`)),
      );
      (server.stdio[3] as Readable).once("data", (data) => resolve(String(data).trim()));
    });
    return new VirtualDisplay(`:${number}`, server);
  }

  close(): Promise<void> {
    return endProcess(this.#server);
  }
}
