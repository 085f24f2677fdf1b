import { availableParallelism } from "node:os";
import { setTimeout as pause } from "node:timers/promises";
import { Child } from "../child.js";
import type { MeasuredTime } from "./memory-world.js";
import type { SightFigures } from "./sight-check.js";
import type { BotsTraffic, SocketArguments, SocketOrder } from "./socket-processes.js";
import type { WorldFigures } from "./world-figures.js";
import type { WorldShape } from "./world-shape.js";

const BOT_PROCESSES = 2;
/** The news of joins grows with the square of the players. */
const JOIN_LIMIT_MS = 300_000;

/**
 * Plays a world over WebSockets: the server on the first core, bots and whole clients on the others. Throws if a client has
 * seen something wrong.
 */
export async function runSocketWorld(
  shape: WorldShape,
  port: number,
  { warmUpSeconds, seconds }: MeasuredTime,
): Promise<WorldFigures> {
  const children: Child<SocketArguments, SocketOrder>[] = [];
  const last = availableParallelism() - 1;
  const start = async (
    role: SocketArguments["role"],
    own: Partial<SocketArguments> = {},
  ): Promise<Child<SocketArguments, SocketOrder>> => {
    const common = { role, shape, port, process: 0, processes: BOT_PROCESSES, greeting: [] };
    const child = new Child<SocketArguments, SocketOrder>(
      { ...common, ...own },
      role === "server" || last < 1 ? 0 : `1-${last}`,
    );
    children.push(child);
    await child.ready();
    return child;
  };
  try {
    const server = await start("server");
    const checkers = await start("checkers");
    const greeting = (await checkers.order("join", JOIN_LIMIT_MS)) as readonly string[];
    const bots = await Promise.all(
      Array.from({ length: BOT_PROCESSES }, (_, process) => start("bots", { process, greeting })),
    );
    await Promise.all(bots.map((child) => child.order("join", JOIN_LIMIT_MS)));
    await pause(warmUpSeconds * 1000);
    const all = [server, checkers, ...bots];
    await Promise.all(all.map((child) => child.order("begin")));
    await pause(seconds * 1000);
    const [figures, sight, ...traffic] = await Promise.all(all.map((child) => child.order("end")));
    assertSight(sight as SightFigures);
    return {
      ...(figures as Omit<WorldFigures, "bytesPerReceiverPerSecond">),
      bytesPerReceiverPerSecond: bytesEach(traffic as BotsTraffic[]),
    };
  } finally {
    for (const child of children.toReversed()) await child.end();
  }
}

function assertSight({ states, wrong, far, missing, example }: SightFigures): void {
  if (states === 0) throw new Error("the whole clients got no states");
  if (wrong + far + missing > 0)
    throw new Error(
      `of what whole clients saw, ${wrong} was wrong, ${far} far, ${missing} missing: ${example}`,
    );
}

function bytesEach(traffic: readonly BotsTraffic[]): number {
  const lost = traffic.reduce((sum, each) => sum + each.lost, 0);
  if (lost > 0) throw new Error(`the server closed the links of ${lost} bots`);
  const perSecond = traffic.reduce((sum, { bytesIn, seconds }) => sum + bytesIn / seconds, 0);
  return perSecond / traffic.reduce((sum, { bots }) => sum + bots, 0);
}
