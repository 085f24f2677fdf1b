/** docs/guides/interest.md: what a player in a world costs, as a test has measured it; the rest is written by hand. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { format, resolveConfig } from "prettier";

const TARGET = path.resolve(import.meta.dirname, "../../docs/guides/interest.md");
/** Written by the test beside it. */
const COSTS = path.resolve(import.meta.dirname, "../../packages/server/test/interest-costs.json");
const SECTION = /(<!-- costs -->\n)[\s\S]*?(<!-- \/costs -->)/;

/**
 * @typedef {{ room: string, entities: number, bytesPerSecond: number, encodedPerStep: number }} Cost
 * @typedef {{ walkers: number, edgeM: number, players: number, costs: Cost[] }} Costs
 */

/** @param {number} count */
const grouped = (count) => count.toLocaleString("en");

/** @param {Costs} costs @returns {string} */
function tableOf({ walkers, edgeM, players, costs }) {
  const intro =
    `One player of ${players}, in a room of 20 steps a second whose ${grouped(walkers)} walkers are spread over ` +
    `${grouped(edgeM)} × ${grouped(edgeM)} m and turn every few seconds (profile \`mmo\`, bytes enough for all):`;
  const head = [
    "room",
    "entities of a player",
    "bytes a second for it",
    "states encoded in a step, for all players",
  ];
  const rows = costs.map(({ room, entities, bytesPerSecond, encodedPerStep }) =>
    [room, entities, bytesPerSecond, encodedPerStep].map((cell) =>
      typeof cell === "number" ? grouped(cell) : cell,
    ),
  );
  const lines = [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`);
  return `${intro}\n\n${lines.join("\n")}`;
}

/** @returns {Promise<string>} the whole document */
export async function interestMarkdown() {
  /** @type {Costs} */
  const costs = JSON.parse(readFileSync(COSTS, "utf8"));
  const text = readFileSync(TARGET, "utf8");
  if (!SECTION.test(text)) throw new Error("docs/guides/interest.md has lost its section of costs");
  const wanted = text.replace(SECTION, (_, begin, end) => `${begin}\n${tableOf(costs)}\n\n${end}`);
  return format(wanted, { ...(await resolveConfig(TARGET)), filepath: TARGET });
}
