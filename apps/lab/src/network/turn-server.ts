import type { ChildProcess } from "node:child_process";
import { end } from "./commands.js";
import type { Internet } from "./internet.js";
import { untilConnects } from "./until-connects.js";

/** The secret from which the relay server derives passwords. */
export const TURN_SECRET = "secret of the laboratory, of enough bytes";
/** A secret that a relay server takes, and that this TURN server does not have. */
export const FOREIGN_TURN_SECRET = "secret of somebody else, of enough bytes";

/** Coturn on the public segment: STUN and TURN on 3478 over UDP and TCP, and TURN over TCP on 443. */
export class TurnServer {
  readonly #process: ChildProcess;
  readonly #address: string;

  private constructor(child: ChildProcess, address: string) {
    this.#process = child;
    this.#address = address;
  }

  static async start(internet: Internet): Promise<TurnServer> {
    const { namespace, address } = internet.addServer("turn", 20);
    const flags = [
      ["-n", "--no-cli", "--no-tls", "--no-dtls", "--no-software-attribute", "--fingerprint"],
      [`--listening-ip=${address}`, `--relay-ip=${address}`, "--listening-port=3478"],
      ["--alt-listening-port=0", `--aux-server=${address}:443`, "--min-port=49152", "--max-port=49400"],
      ["--use-auth-secret", `--static-auth-secret=${TURN_SECRET}`, "--realm=lab"],
      ["--log-file=/dev/null", "--pidfile=/dev/null"],
    ].flat();
    const child = namespace.start("turnserver", flags, { stdio: "ignore" });
    await untilConnects(namespace, address, 3478);
    namespace.hurry();
    return new TurnServer(child, address);
  }

  get stun(): string {
    return `stun:${this.#address}:3478`;
  }

  /** Returns its address in the format of the relay server's `--turn`. */
  url(transport: "udp" | "tcp", port = 3478): string {
    return `turn:${this.#address}:${port}?transport=${transport}`;
  }

  stop(): Promise<void> {
    return end(this.#process);
  }
}
