/** docs/guides/entities.md: what an entity costs, as a test has measured it; the rest is written by hand. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { format, resolveConfig } from "prettier";

const TARGET = path.resolve(import.meta.dirname, "../../docs/guides/entities.md");
/** Written by the test beside it. */
const COSTS = path.resolve(import.meta.dirname, "../../packages/server/test/entity-costs.json");
/** Ids are 16 bits, and 0 means no entity. */
const MAX_ENTITIES = 0xffff;
const SECTION = /(<!-- costs -->\n)[\s\S]*?(<!-- \/costs -->)/;

/**
 * @typedef {{ kind: string, does: string, beginBytes: number, endBytes: number, restBytesPerSecond: number,
 *   moveBytesPerSecond: number, worldBytes: number, playerBytes: number }} Cost
 * @typedef {{ kinds: Cost[], stateBytesPerSecond: number, entitiesOfPlayers: number, entitiesOfPeer: number }} Costs
 */

/** @param {number} bytes */
const kilobytes = (bytes) => `${(bytes / 1000).toFixed(1)} kB`;

/** @param {number} count */
const grouped = (count) => count.toLocaleString("en");

/** @param {Costs} costs @returns {string} */
function tableOf({ kinds, stateBytesPerSecond }) {
  const head = [
    "entity",
    "begins",
    "ends",
    "a second at rest",
    "a second in motion",
    "memory in the room",
    "memory for each player",
    `moving ones for ${grouped(stateBytesPerSecond)} B/s`,
  ];
  const rows = kinds.map((cost) => {
    const isMoving = cost.does !== "lies there";
    return [
      `\`${cost.kind}\`, ${cost.does}`,
      `${cost.beginBytes} B`,
      `${cost.endBytes} B`,
      `${cost.restBytesPerSecond} B`,
      isMoving ? `${cost.moveBytesPerSecond} B` : "–",
      kilobytes(cost.worldBytes),
      kilobytes(cost.playerBytes),
      isMoving ? grouped(Math.floor(stateBytesPerSecond / cost.moveBytesPerSecond)) : "–",
    ];
  });
  return [head, head.map(() => "---"), ...rows].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

/** @param {Costs} costs @returns {string} */
function limitsOf({ entitiesOfPlayers, entitiesOfPeer }) {
  return (
    `A room with an authority has ids for ${grouped(MAX_ENTITIES)} entities at once. Its players may own ` +
    `${grouped(entitiesOfPlayers)} of these together (\`playerLimits\`, \`entitiesPerRoom\`). In a room between players each ` +
    `may own ${grouped(entitiesOfPeer)}.`
  );
}

/** @returns {Promise<string>} the whole document */
export async function entitiesMarkdown() {
  /** @type {Costs} */
  const costs = JSON.parse(readFileSync(COSTS, "utf8"));
  const text = readFileSync(TARGET, "utf8");
  if (!SECTION.test(text)) throw new Error("docs/guides/entities.md has lost its section of costs");
  const wanted = text.replace(
    SECTION,
    (_, begin, end) => `${begin}\n${tableOf(costs)}\n\n${limitsOf(costs)}\n\n${end}`,
  );
  return format(wanted, { ...(await resolveConfig(TARGET)), filepath: TARGET });
}
