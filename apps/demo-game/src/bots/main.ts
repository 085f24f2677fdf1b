/** `pnpm bots`: players of the demo by the hundred, for load and for figures. */
import process from "node:process";
import { USAGE, readBotOptions, type BotOptions } from "./bot-options.js";
import { LocalServer } from "./local-server.js";
import { Swarm } from "./swarm.js";

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
  const own = options.server === undefined ? await LocalServer.start(process.cwd()) : undefined;
  try {
    const server = options.server ?? own!.url;
    const metrics = options.metrics ?? own?.metrics;
    const swarm = new Swarm(options);
    const figures = await (options.sessions > 0 ? swarm.pass(server, metrics) : swarm.stay(server, metrics));
    if (options.isJson) console.log(JSON.stringify(figures));
    else console.dir(figures, { depth: 4 });
  } finally {
    own?.stop();
  }
}

const options = parse();
if (options) {
  await run(options);
  // Clients that are still saying goodbye keep nobody waiting.
  process.exit();
}
