/**
 * The computer drivers: a Node process with several clients of the SDK, each with its own connection, so that
 * a visitor who comes alone finds a race. `node dist-drivers/main.js --server http://127.0.0.1:8787 --count
 * 4`
 */
import { nodeWebRtc } from "@paceline/client/node";
import { DriverClient } from "./driver-client.js";
import { readOptions, usage, type DriverOptions } from "./driver-options.js";

/** About twice the step rate, so that no step is late by much; each driver takes the steps that are due. */
const TIMER_MS = 8;
const LEAVE_WITHIN_MS = 1500;

function parse(): DriverOptions | undefined {
  try {
    return readOptions(process.argv.slice(2));
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : String(error)}\n${usage}`);
    process.exitCode = 2;
    return undefined;
  }
}

async function run({ server, count }: DriverOptions): Promise<void> {
  const webRtc = await nodeWebRtc();
  if (webRtc === undefined)
    console.log("no WebRTC here: players reach the computer drivers through the relay");
  const drivers = Array.from(
    { length: count },
    (_, index) => new DriverClient(server, webRtc, index, console.log),
  );
  for (const driver of drivers) void driver.start();

  let lastMs = performance.now();
  const timer = setInterval(() => {
    const nowMs = performance.now();
    for (const driver of drivers) driver.advance(nowMs, nowMs - lastMs);
    lastMs = nowMs;
  }, TIMER_MS);

  const stop = (): void => {
    clearInterval(timer);
    for (const driver of drivers) driver.stop();
    // Leaves time for the goodbyes. WebRTC's threads would keep the process alive for ever, and so might a
    // server that is gone.
    setTimeout(() => process.exit(0), LEAVE_WITHIN_MS);
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

const options = parse();
if (options !== undefined) await run(options);
