/** docs/STATE-CODEC.md: its tables of code lengths come from the codec. */
import { readFileSync } from "node:fs";
import path from "node:path";

const PAGE = path.resolve(import.meta.dirname, "../../docs/STATE-CODEC.md");
const TABLES = path.resolve(import.meta.dirname, "../../packages/protocol/src/state/codec/tables.ts");
const BLOCK = /(<!-- codes -->\n)[\s\S]*?(\n<!-- \/codes -->)/;

export function stateCodecMarkdown() {
  const lines = readFileSync(TABLES, "utf8").match(/(?<=^ {2}")\d+(?=",$)/gm) ?? [];
  const page = readFileSync(PAGE, "utf8");
  if (lines.length === 0 || !BLOCK.test(page)) throw new Error(`${PAGE} and ${TABLES} do not fit`);
  return page.replace(BLOCK, `$1\n\`\`\`\n${lines.join("\n")}\n\`\`\`\n$2`);
}
