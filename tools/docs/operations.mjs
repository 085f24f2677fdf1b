/** docs/OPERATIONS.md: its table of limits comes from the relay's code; the rest is written by hand. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { format, resolveConfig } from "prettier";
import { ROOT } from "../pnpm.mjs";

/** @typedef {import("../../packages/relay/dist/index.js").RelayLimitRow} RelayLimitRow */

const TARGET = path.join(ROOT, "docs/OPERATIONS.md");
const SECTION = /(<!-- limits -->\n)[\s\S]*?(<!-- \/limits -->)/;

/** @returns {Promise<Readonly<Record<string, RelayLimitRow>>>} */
async function limitTable() {
  const folder = mkdtempSync(path.join(os.tmpdir(), "paceline-limits-"));
  const outfile = path.join(folder, "limits.mjs");
  await build({
    entryPoints: [path.join(ROOT, "packages/relay/src/limits/relay-limits.ts")],
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@paceline/source"],
    logLevel: "error",
  });
  try {
    const { limitTable: table } = await import(pathToFileURL(outfile).href);
    return table;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @returns {Promise<string>} the whole document */
export async function operationsMarkdown() {
  const rows = Object.entries(await limitTable()).map(([name, row]) => {
    const counter = row.counter === undefined ? "" : `\`${row.counter}\``;
    const range = `${row.min} to ${row.max} ${row.unit}`;
    return `| \`${name}\` | ${row.default} | ${range} | ${row.meaning} | ${row.seen} | ${counter} |`;
  });
  const head =
    "| limit | default | range | what | a client sees | counted as |\n| --- | --- | --- | --- | --- | --- |";
  const text = readFileSync(TARGET, "utf8");
  if (!SECTION.test(text)) throw new Error("docs/OPERATIONS.md has lost its section of limits");
  const wanted = text.replace(SECTION, (_, begin, end) => `${begin}\n${head}\n${rows.join("\n")}\n\n${end}`);
  return format(wanted, { ...(await resolveConfig(TARGET)), filepath: TARGET });
}
