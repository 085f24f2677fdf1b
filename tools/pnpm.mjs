/** Runs the pinned pnpm from the PATH if it is there, otherwise through npm, which every Node includes. */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { runChild } from "./children.mjs";

export const ROOT = path.resolve(import.meta.dirname, "..");

const manifest = JSON.parse(readFileSync(path.join(ROOT, "package.json"), "utf8"));
const WANTED = String(manifest.packageManager).replace("pnpm@", "");
const STAMP = path.join(ROOT, "node_modules/.paceline-stamp");

/** @type {Promise<string[]> | undefined} */
let found;

/** @returns {Promise<string[]>} the command and its first arguments */
async function findPnpm() {
  const onPath = await runChild("pnpm", ["--version"], { cwd: ROOT });
  if (onPath.code === 0 && onPath.output.trim().split("\n").at(-1) === WANTED) return ["pnpm"];
  // `npm start` and `npm test` set the path of npm's script; without it npm must be on the PATH.
  const npm = process.env.npm_execpath?.endsWith("npm-cli.js")
    ? [process.execPath, process.env.npm_execpath]
    : ["npm"];
  return [...npm, "exec", "--yes", `--package=pnpm@${WANTED}`, "--", "pnpm"];
}

/**
 * @param {string[]} args
 * @param {{ cwd?: string, env?: Record<string, string>, timeoutMs?: number, echo?: boolean }} [options]
 */
export async function pnpm(args, options = {}) {
  found ??= findPnpm();
  const [command = "pnpm", ...first] = await found;
  return runChild(command, [...first, ...args], { cwd: ROOT, ...options });
}

const lockHash = () =>
  createHash("sha256")
    .update(readFileSync(path.join(ROOT, "pnpm-lock.yaml")))
    .digest("hex");

/** @returns {boolean} whether the installed packages match the lockfile */
export function isInstalled() {
  return existsSync(STAMP) && readFileSync(STAMP, "utf8") === lockHash();
}

/** Installs the lockfile's versions if they are not installed yet. @returns {Promise<boolean>} */
export async function ensureInstalled() {
  if (isInstalled()) return true;
  console.log(`Installing dependencies with pnpm ${WANTED} ...`);
  const result = await pnpm(["install", "--frozen-lockfile", "--config.confirmModulesPurge=false"], {
    env: { PLAYWRIGHT_SKIP_BROWSER_DOWNLOAD: "1" },
  });
  if (result.code !== 0) {
    console.error(result.output);
    console.error("Installing the dependencies failed; the lines above say why.");
    return false;
  }
  mkdirSync(path.dirname(STAMP), { recursive: true });
  writeFileSync(STAMP, lockHash());
  return true;
}

/**
 * Returns the script of an installed command, which runs with this Node and needs no shell.
 * @param {string} packageName
 * @param {string} [command]
 */
export function binOf(packageName, command = packageName) {
  const home = path.join(ROOT, "node_modules", packageName);
  const { bin } = JSON.parse(readFileSync(path.join(home, "package.json"), "utf8"));
  const script = typeof bin === "string" ? bin : bin[command];
  return path.join(home, script);
}
