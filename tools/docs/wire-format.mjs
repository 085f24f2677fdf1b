/**
 * docs/WIRE-FORMAT.md: its tables of fields come from the demo's definitions, and its index from the rules;
 * the rest is written
 * by hand.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { DEMO, definitionsOf } from "../definitions.mjs";

const TARGET = path.resolve(import.meta.dirname, "../../docs/WIRE-FORMAT.md");
const SECTION = /(<!-- fields -->\n)[\s\S]*?(<!-- \/fields -->)/;
const INDEX = /(<!-- rules -->\n)[\s\S]*?(<!-- \/rules -->)/;

/** Each rule with its section. @param {string} text */
function indexOf(text) {
  const rows = ["| rule | says | section |", "| --- | --- | --- |"];
  let section = "";
  for (const line of text.split("\n")) {
    const heading = /^#{2,4} (.+)$/.exec(line)?.[1];
    if (heading !== undefined) section = heading;
    const [, number, title] = /^\*\*\[(WF\d+)\] (.+?)\.\*\*/.exec(line) ?? [];
    if (number === undefined) continue;
    const anchor = section
      .toLowerCase()
      .replaceAll(/[^\w -]/g, "")
      .replaceAll(" ", "-");
    rows.push(`| ${number} | ${title} | [${section}](#${anchor}) |`);
  }
  return rows.join("\n");
}
/** The demo's tick rate; sizes do not depend on it. */
const TICK_HZ = 60;

/** @returns {Promise<string>} the whole document */
export async function wireFormatMarkdown() {
  const { definitions, protocol, fieldTable } = await definitionsOf(DEMO);
  const tables = definitions.map((definition) => {
    const { name, motion, schemaHash } = definition;
    const plan = protocol.planState(definition, { tickHz: TICK_HZ, hasRates: true });
    const hash = `0x${schemaHash.toString(16).padStart(8, "0")}`;
    const head = `\`${name}\`, motion \`${motion}\`, hash \`${hash}\`: ${protocol.wholeStateBits(plan)} bits, owner and teleports included.`;
    return `${head}\n\n${fieldTable(plan)}`;
  });
  const text = readFileSync(TARGET, "utf8");
  if (!SECTION.test(text)) throw new Error("docs/WIRE-FORMAT.md has lost its section of fields");
  const wanted = text
    .replace(SECTION, (_, begin, end) => `${begin}\n${tables.join("\n\n")}\n\n${end}`)
    .replace(INDEX, (_, begin, end) => `${begin}\n${indexOf(text)}\n\n${end}`);
  return format(wanted, { ...(await resolveConfig(TARGET)), filepath: TARGET });
}
