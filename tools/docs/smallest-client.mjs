/** docs/SMALLEST-CLIENT.md: its code comes from the program; the rest is written by hand. */
import { readFileSync } from "node:fs";
import path from "node:path";

const ROOT = path.resolve(import.meta.dirname, "../..");
const PROGRAM = path.join(ROOT, "examples/smallest-client/client.mjs");
const TARGET = path.join(ROOT, "docs/SMALLEST-CLIENT.md");
/**
 * `<!-- code: BEGIN -->` followed by a block of code, which starts at the program's line that begins with
 * BEGIN.
 */
const PLACE = /(<!-- code: (.*) -->\n\n```js\n)[\s\S]*?(```\n)/g;

/** @returns {string} the whole document */
export function smallestClientMarkdown() {
  const lines = readFileSync(PROGRAM, "utf8").trimEnd().split("\n");
  const text = readFileSync(TARGET, "utf8");
  const starts = Array.from(text.matchAll(PLACE), ([, , begins = ""]) =>
    lines.findIndex((line) => line.startsWith(begins)),
  );
  // The first line is for tools. Every later line appears in the document once.
  const isWhole = starts[0] === 1 && starts.every((at, index) => at > (starts[index - 1] ?? 0));
  if (!isWhole)
    throw new Error(`docs/SMALLEST-CLIENT.md shows other parts than the program has: ${starts.join(" ")}`);
  let index = 0;
  return text.replace(PLACE, (_, head, __, tail) => {
    const code = lines.slice(starts[index], starts[index + 1]).join("\n");
    index += 1;
    return `${head}${code}\n${tail}`;
  });
}
