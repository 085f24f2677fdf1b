/** `pnpm bots`: joins up to 1000 players of the demo, for load tests and their figures. */
import { execFileSync } from "node:child_process";
import { availableParallelism } from "node:os";
import process from "node:process";
import { nodeWebRtc } from "@paceline/client/node";
import { Swarm, WalkingBot, walkOf } from "paceline/bots";
import { RACE_TICK_HZ } from "../net/grand-prix.js";
import { WORLD, WORLD_M, WorldWalker } from "../net/world.js";
import { Bot } from "./bot.js";
import { USAGE, readBotOptions, type BotOptions } from "./bot-options.js";
import { faultsOfPass, faultsOfStay } from "./bounds.js";
import { LocalServer } from "./local-server.js";

function parse(): BotOptions | undefined {
  try {
    return readBotOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`);
    process.exitCode = 2;
    return undefined;
  }
}

async function run(options: BotOptions): Promise<void> {
  const webRtc = options.hasWebRtc ? await nodeWebRtc() : undefined;
  if (options.hasWebRtc && !webRtc) throw new Error("--webrtc needs the optional package node-datachannel");
  if (options.isPinned)
    execFileSync("taskset", ["-acp", `1-${availableParallelism() - 1}`, `${process.pid}`]);
  const own = options.server === undefined ? await LocalServer.start(process.cwd(), options) : undefined;
  try {
    const server = options.server ?? own!.url;
    const metrics = options.metrics ?? own?.metrics;
    const makeBot = makerOf(options);
    const swarm = new Swarm({ ...options, stepHz: RACE_TICK_HZ, makeBot }, webRtc);
    const { figures, faults } = await measured(swarm, options, server, metrics);
    if (options.isJson) console.log(JSON.stringify(figures));
    else console.dir(figures, { depth: 4 });
    if (!options.isBound) return;
    for (const fault of faults) console.error(`MISS ${fault}`);
    process.exitCode = faults.length === 0 ? 0 : 1;
  } finally {
    own?.stop();
  }
}

function makerOf(options: BotOptions): (index: number) => Bot | WalkingBot {
  if (options.room !== WORLD) return (index) => new Bot(options, index);
  const walk = walkOf({ name: options.walk, bots: options.count, edgeM: WORLD_M, data: options.data });
  const own = { room: WORLD, profile: "mmo", walk, kind: WorldWalker } as const;
  return (index) => new WalkingBot(own, index);
}

async function measured(
  swarm: Swarm,
  { sessions }: BotOptions,
  server: string,
  metrics: string | undefined,
): Promise<{ readonly figures: object; readonly faults: readonly string[] }> {
  if (sessions > 0) {
    const figures = await swarm.pass(server, metrics);
    return { figures, faults: faultsOfPass(figures) };
  }
  const figures = await swarm.stay(server, metrics);
  return { figures, faults: faultsOfStay(figures) };
}

const options = parse();
if (options) {
  await run(options);
  // Does not wait for clients that are still leaving.
  process.exit();
}
