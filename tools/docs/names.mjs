/** The list of all public names, made of the comments in the sources: a page of the site. */
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { ROOT } from "../pnpm.mjs";
import { publicExports } from "../undocumented.mjs";

const PACKAGES = ["client", "server", "relay", "testkit", "cli", "vite-plugin"];

/** @param {string} comment @returns {string} its first sentence, for a cell of a table */
function firstSentence(comment) {
  const [sentence = ""] = /^[\s\S]*?[.:](?=\s|$)|^[\s\S]+/.exec(comment.trim()) ?? [];
  return sentence
    .replaceAll(/\{@link ([^}]+)\}/g, "`$1`")
    .replaceAll(/\s+/g, " ")
    .replaceAll("|", "\\|")
    .replace(/:$/, ".");
}

/** @returns {Promise<string>} */
export async function namesMarkdown() {
  const sections = PACKAGES.flatMap((folder) => publicExports(path.join(ROOT, "packages", folder))).map(
    ({ module, names }) => {
      const rows = names.map(
        ({ name, kind, comment }) => `| \`${name}\` | ${kind} | ${firstSentence(comment)} |`,
      );
      return [`## ${module}`, "", "| name | is | |", "| --- | --- | --- |", ...rows].join("\n");
    },
  );
  const text = `# All names

Everything that the packages export, with the first sentence about it. Most games need a tenth of this: begin with
[entities](guides/entities.md) and [messages](guides/messages.md).

${sections.join("\n\n")}
`;
  return format(text, { ...(await resolveConfig(path.join(ROOT, "docs/names.md"))), parser: "markdown" });
}
