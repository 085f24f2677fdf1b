import { createSocket } from "node:dgram";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import type { ChildProcess } from "node:child_process";
import { setTimeout as sleep } from "node:timers/promises";
import { endProcess, startProcess } from "./processes.js";

const PROGRAM = "/usr/bin/turnserver";
const STARTS_WITHIN_MS = 5000;

export const hasTurnServer = existsSync(PROGRAM);

/** A real coturn on loopback, with a secret for its REST API. */
export class TurnServer {
  readonly port: number;
  readonly #process: ChildProcess;
  readonly #folder: string;

  private constructor(port: number, process: ChildProcess, folder: string) {
    this.port = port;
    this.#process = process;
    this.#folder = folder;
  }

  static async start(secret: string): Promise<TurnServer> {
    const port = 10_000 + Math.floor(Math.random() * 9000);
    const folder = mkdtempSync(path.join(tmpdir(), "paceline-turn-"));
    const flags = ["-n", "-L", "127.0.0.1", "-p", String(port), "--use-auth-secret"];
    const more = [`--static-auth-secret=${secret}`, "--realm=paceline.test", "--no-tls", "--no-dtls"];
    const paths = [
      "--no-cli",
      "--allow-loopback-peers",
      "--pidfile",
      path.join(folder, "pid"),
      "--log-file=stdout",
    ];
    const relayPorts = ["--min-port=19000", "--max-port=19999", "--userdb", path.join(folder, "db")];
    const child = startProcess(PROGRAM, [...flags, ...more, ...paths, ...relayPorts], { stdio: "ignore" });
    const server = new TurnServer(port, child, folder);
    for (let waitedMs = 0; !(await answers(port)); waitedMs += 200) {
      if (waitedMs > STARTS_WITHIN_MS) throw new Error("coturn did not start");
    }
    return server;
  }

  async stop(): Promise<void> {
    await endProcess(this.#process);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** Returns true if a STUN binding request is answered within 200 ms. */
async function answers(port: number): Promise<boolean> {
  const socket = createSocket("udp4");
  const request = Buffer.concat([Buffer.from("000100002112a442", "hex"), Buffer.from("paceline-ask")]);
  const answered = new Promise<boolean>((resolve) => {
    socket.once("message", () => resolve(true));
    socket.once("error", () => resolve(false));
  });
  socket.send(request, port, "127.0.0.1");
  const isThere = await Promise.race([answered, sleep(200).then(() => false)]);
  socket.close();
  return isThere;
}
