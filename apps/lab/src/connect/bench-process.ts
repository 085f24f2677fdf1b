import type { ChildProcess, SpawnOptions } from "node:child_process";
import { availableParallelism } from "node:os";
import path from "node:path";
import { CommandError, end, start } from "../network/commands.js";
import type { Namespace } from "../network/namespace.js";
import { isInstalled } from "../network/requirements.js";
import { LAB } from "../network/places.js";
import type {
  ConnectAnswer,
  EchoAnswer,
  Fault,
  JoinAnswer,
  Order,
  RateAnswer,
  Served,
  Usage,
} from "./messages.js";

/** Flags of Node, the same as the command `paceline` and the image use: see docs/OPERATIONS.md. */
const SERVER_FLAGS = ["--max-semi-space-size=4"];

/** Longer than any request takes. */
const ANSWER_LIMIT_MS = 420_000;

interface Answers {
  readonly connect: ConnectAnswer;
  readonly churn: ConnectAnswer;
  readonly rate: RateAnswer;
  readonly echo: EchoAnswer;
  readonly disconnect: object;
  readonly reside: object;
  readonly join: JoinAnswer;
}

/** A process of the benchmark that answers one request at a time. */
class BenchProcess {
  readonly #child: ChildProcess;
  readonly #what: string;

  protected constructor(what: string, child: ChildProcess) {
    this.#what = what;
    this.#child = child;
  }

  get pid(): number {
    return this.#child.pid!;
  }

  async end(): Promise<void> {
    await end(this.#child, "SIGKILL");
  }

  protected async ask(question: object): Promise<unknown> {
    const answered = this.message();
    this.#child.send(question);
    const answer = (await answered) as Partial<Fault>;
    if (answer.fault !== undefined) throw new CommandError(`${this.#what}: ${answer.fault}`);
    return answer;
  }

  protected message(): Promise<unknown> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new CommandError(`${this.#what} said nothing`)), ANSWER_LIMIT_MS);
      const onExit = (code: number | null) =>
        reject(new CommandError(`${this.#what} ended with code ${code}`));
      this.#child.once("exit", onExit);
      this.#child.once("message", (message) => {
        clearTimeout(limit);
        this.#child.off("exit", onExit);
        resolve(message);
      });
    });
  }
}

/** A process with one server. */
export class ServerProcess extends BenchProcess {
  #url = "";

  /** Address for the clients. */
  get url(): string {
    return this.#url;
  }

  static async start(
    served: Served,
    where: { readonly host?: string; readonly namespace?: Namespace } = {},
  ): Promise<ServerProcess> {
    const args = [JSON.stringify(served), where.host ?? "127.0.0.1"];
    const what = `the server of ${"system" in served ? served.system : served.join}`;
    const server = new ServerProcess(
      what,
      startScript("server-process", args, 0, where.namespace, SERVER_FLAGS),
    );
    server.#url = (await server.message()) as string;
    return server;
  }

  async usage(): Promise<Usage> {
    return (await this.ask({})) as Usage;
  }
}

/** A process with clients. */
export class SwarmProcess extends BenchProcess {
  static async start(namespace?: Namespace, core = 1): Promise<SwarmProcess> {
    const swarm = new SwarmProcess("the swarm", startScript("swarm-process", [], core, namespace));
    await swarm.message();
    return swarm;
  }

  async tell<Do extends Order["do"]>(order: Order & { readonly do: Do }): Promise<Answers[Do]> {
    return (await this.ask(order)) as Answers[Do];
  }
}

/** Pins server and swarm to a core each, if there are two, so that neither takes the other's CPU time. */
function startScript(
  name: string,
  args: readonly string[],
  core: number,
  namespace?: Namespace,
  flags: readonly string[] = [],
): ChildProcess {
  const script = path.join(LAB, `dist/connect/${name}.mjs`);
  const stdio = ["ignore", "inherit", "inherit", "ipc"];
  const options = { stdio } as SpawnOptions;
  const allFlags = ["--expose-gc", "--enable-source-maps", ...flags];
  const node = [process.execPath, ...allFlags, script, ...args] as const;
  const cores = availableParallelism();
  const canPin = cores > 1 && isInstalled("taskset");
  const [command, ...rest] = canPin ? ["taskset", "-c", String(Math.min(core, cores - 1)), ...node] : node;
  return namespace ? namespace.start(command, rest, options) : start(command, rest, options);
}
