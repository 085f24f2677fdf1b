/**
 * Lets twenty clients, each in a process of its own, join one room at once while two more processes keep both cores
 * busy. Each has to get a seat, once.
 */
import { once } from "node:events";
import path from "node:path";
import { ROOT } from "../pnpm.mjs";
import { endChild, startChild } from "../children.mjs";
import { outcome } from "./outcome.mjs";

const PLAYERS = 20;
const HOGS = 2;
/** Time for which the other processes keep the machine busy, ms. */
const BUSY_MS = 30_000;
const KINDS = ["relayed", "authority"];

const script = (/** @type {string} */ name) => path.join(ROOT, "tools/verify", name);

/** @param {import("node:child_process").ChildProcess} child @returns {Promise<string>} its first line */
async function firstLine(child) {
  const ended = once(child, "exit").then(() => "ended without a word");
  const said = once(/** @type {import("node:stream").Readable} */ (child.stdout), "data").then(String);
  const line = await Promise.race([said, ended]);
  return line.trim().split("\n")[0] ?? "";
}

/** @param {string} kind @returns {Promise<string | undefined>} what is wrong */
async function joinAll(kind) {
  const children = /** @type {import("node:child_process").ChildProcess[]} */ ([]);
  /** @param {string[]} command */
  const start = (...command) => {
    const child = startChild(process.execPath, command, { cwd: ROOT, stdio: ["ignore", "pipe", "inherit"] });
    children.push(child);
    return child;
  };
  try {
    const server = start(script("pause-server.mjs"));
    /** @type {string[]} */
    const lines = [];
    const output = /** @type {import("node:stream").Readable} */ (server.stdout);
    output.on("data", (text) => lines.push(...String(text).trim().split("\n")));
    const port = (await firstLine(server)).split(" ")[1];
    for (let hog = 0; hog < HOGS; hog++)
      start("-e", `const end = Date.now() + ${BUSY_MS}; while (Date.now() < end);`);
    const players = Array.from({ length: PLAYERS }, () =>
      start(script("busy-player.mjs"), `http://127.0.0.1:${port}`, kind),
    );
    const ends = await Promise.all(players.map(firstLine));
    const joined = ends.filter((end) => end.startsWith("joined "));
    const rooms = new Set(joined).size;
    console.log(`${kind.padEnd(10)} ${joined.length} of ${PLAYERS} joined, rooms: ${rooms}`);
    if (joined.length < PLAYERS || rooms > 1) return `${joined.length} of ${PLAYERS} joined: ${ends.join()}`;
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const taken = lines.findLast((line) => line.startsWith("taken "));
    return taken === `taken ${PLAYERS}` ? undefined : `${taken} of ${PLAYERS} seats`;
  } finally {
    await Promise.all(children.map((child) => endChild(child)));
  }
}

/** @returns {Promise<import("./outcome.mjs").Outcome>} */
export async function busyJoins() {
  const checks = [];
  for (const kind of KINDS)
    checks.push(/** @type {const} */ ([`${PLAYERS} at once, ${kind}`, await joinAll(kind)]));
  return outcome(checks);
}
