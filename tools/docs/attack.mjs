/** docs/ATTACK.md: its table of cases comes from the laboratory's list; the rest is written by hand. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { format, resolveConfig } from "prettier";

const TARGET = path.resolve(import.meta.dirname, "../../docs/ATTACK.md");
const CASES = path.resolve(import.meta.dirname, "../../apps/lab/src/attack/cases.ts");
const SECTION = /(<!-- cases -->\n)[\s\S]*?(<!-- \/cases -->)/;

/** @returns {Promise<readonly import("../../apps/lab/src/attack/cases.js").AttackCase[]>} */
async function attackCases() {
  const { outputFiles } = await build({
    entryPoints: [CASES],
    bundle: true,
    write: false,
    format: "esm",
    platform: "node",
    logLevel: "error",
  });
  const [file] = outputFiles;
  const module = await import(`data:text/javascript,${encodeURIComponent(file?.text ?? "")}`);
  return module.cases;
}

/** @returns {Promise<string>} the whole document */
export async function attackMarkdown() {
  const rows = (await attackCases()).map(({ name, what, stage, seconds, quickSeconds, closes }) => {
    const ends = closes?.map((code) => `\`${code}\``).join(", ") ?? "–";
    return `| \`${name}\` | ${what} | ${stage} | ${seconds} | ${quickSeconds ?? "–"} | ${ends} |`;
  });
  const head = "| case | what it sends | server | s | `--quick`, s | closes that must be seen |";
  const table = [head, "| --- | --- | --- | ---: | ---: | --- |", ...rows].join("\n");
  const before = readFileSync(TARGET, "utf8");
  if (!SECTION.test(before)) throw new Error("docs/ATTACK.md has lost its section of cases");
  const wanted = before.replace(SECTION, (_, begin, end) => `${begin}\n${table}\n\n${end}`);
  return format(wanted, { ...(await resolveConfig(TARGET)), filepath: TARGET });
}
