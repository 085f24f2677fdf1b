/** `npm start`: installs and builds what is missing, then runs the server with the game and a few computer drivers. */
import "./node-version.mjs";
import { createServer } from "node:net";
import { networkInterfaces } from "node:os";
import path from "node:path";
import { createInterface } from "node:readline";
import { parseArgs } from "node:util";
import { buildAll } from "./build.mjs";
import { endAllChildren, endChildrenOnSignals, startChild } from "./children.mjs";
import { ensureInstalled, ROOT } from "./pnpm.mjs";

const DEFAULT_PORT = 8787;
const PORTS_TRIED = 20;
const READY_LIMIT_MS = 15_000;
const USAGE = `npm start -- [--port 1..65535] [--drivers 0..16] [--host ADDRESS]

  --port     where to listen; ${DEFAULT_PORT}, or the next free one, unless given
  --drivers  how many computer drivers race along; 4 unless given
  --host     127.0.0.1 unless given; 0.0.0.0 lets others on your network join`;

/**
 * A mistake in the command line, or a machine that does not allow the request. Its message is printed without
 * a stack.
 */
class StartError extends Error {}

/** @param {string} name @param {string} text @param {number} min @param {number} max @returns {number} */
function wholeNumber(name, text, min, max) {
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw new StartError(
      `--${name} is "${text}", but must be a whole number from ${min} to ${max}.\n\n${USAGE}`,
    );
  }
  return value;
}

/** @returns {{ port: number | undefined, drivers: number, host: string }} */
function readArguments() {
  /** @type {{ port?: string, drivers?: string, host?: string, help?: boolean }} */
  let values;
  try {
    const string = /** @type {const} */ ({ type: "string" });
    values = parseArgs({
      options: { port: string, drivers: string, host: string, help: { type: "boolean", short: "h" } },
    }).values;
  } catch (error) {
    throw new StartError(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}`, {
      cause: error,
    });
  }
  if (values.help) {
    console.log(USAGE);
    process.exit(0);
  }
  return {
    port: values.port === undefined ? undefined : wholeNumber("port", values.port, 1, 65_535),
    drivers: wholeNumber("drivers", values.drivers ?? "4", 0, 16),
    host: values.host ?? "127.0.0.1",
  };
}

/** @param {number} port @param {string} host @returns {Promise<string | undefined>} the error code, if it is not free */
function portFault(port, host) {
  return new Promise((resolve) => {
    const probe = createServer();
    probe.once("error", (error) => resolve("code" in error ? String(error.code) : error.message));
    probe.listen({ port, host }, () => probe.close(() => resolve(undefined)));
  });
}

/** @param {number | undefined} wanted @param {string} host @returns {Promise<number>} */
async function choosePort(wanted, host) {
  const candidates =
    wanted === undefined ? Array.from({ length: PORTS_TRIED }, (_, i) => DEFAULT_PORT + i) : [wanted];
  for (const port of candidates) {
    const fault = await portFault(port, host);
    if (fault === undefined) return port;
    if (fault !== "EADDRINUSE") throw new StartError(`Cannot listen on ${host}, port ${port}: ${fault}.`);
    if (wanted !== undefined) throw new StartError(`Port ${port} is taken; choose another with --port.`);
    console.log(`Port ${port} is taken.`);
  }
  throw new StartError(
    `Ports ${DEFAULT_PORT} to ${DEFAULT_PORT + PORTS_TRIED - 1} are taken; choose one with --port.`,
  );
}

/**
 * @param {string} name
 * @param {string[]} args
 * @param {{ env?: Record<string, string> }} options
 * @param {(line: string) => void} onLine
 */
function startPart(name, args, { env = {} }, onLine) {
  const child = startChild(process.execPath, args, { cwd: ROOT, env, stdio: ["ignore", "pipe", "inherit"] });
  if (child.stdout) createInterface({ input: child.stdout }).on("line", onLine);
  child.once("exit", (code, signal) => {
    if (isStopping) return;
    console.error(`The ${name} ended unexpectedly (${signal ?? `code ${code}`}); stopping the rest.`);
    isStopping = true;
    void endAllChildren("SIGINT").then(() => process.exit(1));
  });
}

/**
 * @param {string} host @param {number} port @param {number} drivers @returns {Promise<string>} the address
 * that the server prints
 */
function startServer(host, port, drivers) {
  const main = path.join(ROOT, "apps/relay-server/dist/main.js");
  const page = path.join(ROOT, "apps/demo-game/dist");
  const game = path.join(ROOT, "apps/demo-game/dist-server/rooms.js");
  return new Promise((resolve, reject) => {
    const limit = setTimeout(
      () => reject(new StartError(`The server was not ready after ${READY_LIMIT_MS / 1000} s.`)),
      READY_LIMIT_MS,
    );
    const where = ["--port", String(port), "--host", host];
    const args = [main, ...where, "--static", page, "--game", game, "--rooms", "race:16"];
    const env = { RACE_COMPUTERS: String(Math.min(drivers, 7)) };
    startPart("server", args, { env }, (line) => {
      const address = /^listening on (http:\S+)/.exec(line)?.[1];
      if (address === undefined) return console.log(`server: ${line}`);
      clearTimeout(limit);
      resolve(address);
    });
  });
}

/** @param {string} address @param {number} count */
function startDrivers(address, count) {
  const main = path.join(ROOT, "apps/demo-game/dist-drivers/main.js");
  startPart("computer drivers", [main, "--server", address, "--count", String(count)], {}, (line) =>
    console.log(`drivers: ${line}`),
  );
}

/** @param {string} host @param {number} port @returns {string[]} */
function addresses(host, port) {
  if (host !== "0.0.0.0" && host !== "::")
    return [`http://${host.includes(":") ? `[${host}]` : host}:${port}`];
  const own = Object.values(networkInterfaces())
    .flatMap((found) => found ?? [])
    .filter((found) => found.family === "IPv4" && !found.internal)
    .map((found) => `http://${found.address}:${port}`);
  return [`http://127.0.0.1:${port}`, ...own];
}

async function main() {
  const { port: wanted, drivers, host } = readArguments();
  if (!(await ensureInstalled())) return process.exit(1);
  if (!(await buildAll())) return process.exit(1);
  const port = await choosePort(wanted, host);
  await startServer(host, port, drivers);
  const [local = "", ...others] = addresses(host, port);
  if (drivers > 0) startDrivers(local, drivers);
  console.log(`\nOpen ${local} in two browsers, and race.`);
  for (const other of others) console.log(`Others on your network open ${other}`);
  if (others.length === 0) console.log("To let others on your network join: npm start -- --host 0.0.0.0");
  console.log("Ctrl-C stops everything.");
}

let isStopping = false;
endChildrenOnSignals(0, () => {
  isStopping = true;
});
try {
  await main();
} catch (error) {
  if (!(error instanceof StartError)) throw error;
  console.error(error.message);
  isStopping = true;
  await endAllChildren("SIGINT");
  process.exitCode = 1;
}
