import { quantile } from "../codec/spread.js";
import { ServerProcess, SwarmProcess } from "./bench-process.js";
import { systemNames, type SystemName } from "./system.js";

/** Measurements of one system's server and clients in one round. */
export interface ConnectRound {
  readonly connectMs: readonly number[];
  readonly failures: number;
  readonly failure?: string;
  readonly cpuMsPerConnect: number;
  readonly rssKBPerConnection: number;
  readonly echo: EchoRound;
}

/** The phase in which the server echoes every client's messages. */
interface EchoRound {
  readonly cpuUsPerEcho: number;
  readonly sent: number;
  readonly received: number;
  readonly wrong: number;
  readonly repeated: number;
  readonly latencyMs: readonly number[];
}

export interface ConnectPlan {
  readonly clients: number;
  readonly hz: number;
  readonly echoMs: number;
  readonly rounds: number;
}

/** Clients that come and go before the measurement: a process's one-time costs are not costs of a client. */
const WARM_UP_CLIENTS = 30;
const SETTLE_MS = 1500;
const ECHO_WARM_UP_MS = 1000;

/**
 * Measures all systems one after the other in every round, so that the machine's other load affects all of
 * them alike.
 */
export async function connectRounds(
  plan: ConnectPlan,
  progress: (text: string) => void,
): Promise<Map<SystemName, ConnectRound[]>> {
  const rounds = new Map<SystemName, ConnectRound[]>(systemNames.map((name) => [name, []]));
  for (let round = 0; round < plan.rounds; round++) {
    const order = round % 2 === 0 ? systemNames : systemNames.toReversed();
    for (const system of order) {
      try {
        const measured = await connectRound(system, plan);
        rounds.get(system)!.push(measured);
        progress(`round ${round + 1}, ${system}: ${inWords(measured)}`);
      } catch (error) {
        progress(`round ${round + 1}, ${system}: ${String(error)}`);
      }
    }
  }
  return rounds;
}

async function connectRound(system: SystemName, { clients, hz, echoMs }: ConnectPlan): Promise<ConnectRound> {
  const server = await ServerProcess.start({ system });
  const swarm = await SwarmProcess.start();
  try {
    await swarm.tell({ do: "connect", system, url: server.url, clients: WARM_UP_CLIENTS });
    await swarm.tell({ do: "disconnect" });
    await pause(SETTLE_MS);
    const before = await server.usage();
    const connected = await swarm.tell({ do: "connect", system, url: server.url, clients });
    const after = await server.usage();
    await pause(SETTLE_MS);
    const settled = await server.usage();
    await swarm.tell({ do: "echo", hz, durationMs: ECHO_WARM_UP_MS });
    const begun = await server.usage();
    const { sent, ...echo } = await swarm.tell({ do: "echo", hz, durationMs: echoMs });
    const done = await server.usage();
    return {
      ...connected,
      cpuMsPerConnect: (after.cpuMs - before.cpuMs) / clients,
      rssKBPerConnection: (settled.rssKB - before.rssKB) / clients,
      echo: { ...echo, sent, cpuUsPerEcho: ((done.cpuMs - begun.cpuMs) * 1000) / sent },
    };
  } finally {
    await Promise.all([swarm.end(), server.end()]);
  }
}

function inWords({ connectMs, failures, failure, cpuMsPerConnect, echo }: ConnectRound): string {
  const words = [
    `connect p50 ${quantile(connectMs, 0.5).toFixed(1)} ms`,
    `${cpuMsPerConnect.toFixed(2)} CPU ms each`,
    `${echo.cpuUsPerEcho.toFixed(0)} CPU µs per echo`,
    `${echo.sent - echo.received} of ${echo.sent} echoes lost`,
    ...(failures > 0 ? [`${failures} failed: ${failure}`] : []),
  ];
  return words.join(", ");
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
