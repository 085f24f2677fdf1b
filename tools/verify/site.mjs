/**
 * Checks the site of the documents: it builds, has no dead link, has every part, and the search finds each
 * part.
 */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import path from "node:path";
import { runChild } from "../children.mjs";
import { userModules } from "../docs/names.mjs";
import { ROOT } from "../pnpm.mjs";
import { outcome } from "./outcome.mjs";

const LIMIT_MS = 5 * 60_000;
const SITE = path.join(ROOT, "docs/.vitepress/dist");
const PAGES = [
  "index",
  "getting-started",
  "names",
  "guides/entities",
  "coming-from/colyseus",
  "implementers/wire-format",
];
/** A word of a guide, one of the API reference, and one for implementers. */
const FOUND = ["joinOrCreate", "VirtualScheduler", "WF1"];

export async function site() {
  const { code, output } = await runChild(process.execPath, [path.join(ROOT, "docs/site.mjs")], {
    cwd: ROOT,
    timeoutMs: LIMIT_MS,
  });
  if (code !== 0) return outcome([["the site builds", output.slice(-3000)]]);
  const chunks = path.join(SITE, "assets/chunks");
  const index = readdirSync(chunks).find((name) => name.includes("localSearchIndex")) ?? "";
  const words = readFileSync(path.join(chunks, index), "utf8").toLowerCase();
  return outcome([
    ["the site builds", undefined],
    ...PAGES.map((page) => {
      const fault = existsSync(path.join(SITE, `${page}.html`)) ? undefined : "is missing";
      return /** @type {const} */ ([`the page ${page}`, fault]);
    }),
    ...userModules().map(({ module }) => {
      const page = `api/${module.replaceAll("/", ".")}.html`;
      const fault = existsSync(path.join(SITE, page)) ? undefined : "is missing";
      return /** @type {const} */ ([`the reference of ${module}`, fault]);
    }),
    ...FOUND.map((word) => {
      const fault = words.includes(word.toLowerCase()) ? undefined : "is not in the index";
      return /** @type {const} */ ([`the search for ${word}`, fault]);
    }),
  ]);
}
