/**
 * docs/LAB.md: the table of the matrix and its missed bounds come from docs/results/matrix.json; the rest is
 * written by hand.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { format, resolveConfig } from "prettier";

const TARGET = path.resolve(import.meta.dirname, "../../docs/LAB.md");
const RESULT = path.resolve(import.meta.dirname, "../../docs/results/matrix.json");
const SECTION = /(<!-- matrix -->\n)[\s\S]*?(<!-- \/matrix -->)/;

/**
 * @typedef {{ date: string, node: string, machine: { cores: number, load: number },
 *   rows: Record<string, string | number>[],
 *   bounds: { bound: string, value: number | null, limit: number, holds: boolean }[] }} Result
 */

/** @param {readonly (readonly (string | number)[])[]} lines @returns {string} */
function tableOf(lines) {
  const [head = [], ...body] = lines;
  const rows = [head, head.map(() => "---"), ...body];
  return rows.map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** @returns {Promise<string>} the whole document */
export async function labMarkdown() {
  /** @type {Result} */
  const { date, node, machine, rows, bounds } = JSON.parse(readFileSync(RESULT, "utf8"));
  // The rows' columns; a row has no value for what its case did not measure.
  const columns = [...new Set(rows.flatMap(Object.keys))];
  const table = tableOf([columns, ...rows.map((row) => columns.map((column) => row[column] ?? "–"))]);
  /** @param {string} key */
  const total = (key) => rows.reduce((sum, row) => sum + Number(row[key] ?? 0), 0);
  const missed = bounds.filter(({ holds }) => !holds);
  const misses = missed.map(
    ({ bound, value, limit }) => `${bound} ${value ?? "not measured"} (limit ${limit})`,
  );
  const text = [
    `Of ${date.slice(0, 10)}, ${machine.cores} cores, load ${machine.load}, Node ${node}; all cases in one run.`,
    table,
    `In all ${total("reliableSent")} reliable messages and ${total("migrations")} migrations: ${total("lost")} lost, ${total("repeated")} repeated, ${total("outOfOrder")} out of order.`,
    `Bounds that held: ${bounds.length - missed.length} of ${bounds.length}. Missed: ${misses.join("; ") || "none"}.`,
  ].join("\n\n");
  const before = readFileSync(TARGET, "utf8");
  if (!SECTION.test(before)) throw new Error("docs/LAB.md has lost its section of the matrix");
  const wanted = before.replace(SECTION, (_, begin, end) => `${begin}\n${text}\n\n${end}`);
  return format(wanted, { ...(await resolveConfig(TARGET)), filepath: TARGET });
}
