/** The list of all public names, from the comments in the sources: a page of the site. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { format, resolveConfig } from "prettier";
import { ROOT } from "../pnpm.mjs";
import { publicExports } from "../undocumented.mjs";

/** Folders of the packages from which games and servers import. */
export const USER_PACKAGES = ["client", "panel", "server", "relay", "testkit", "cli", "vite-plugin"];

/**
 * @returns {{ module: string, file: string }[]} the importable modules and their sources; a source with two
 * names once
 */
export function userModules() {
  const modules = USER_PACKAGES.flatMap((folder) => {
    const home = path.join(ROOT, "packages", folder);
    const { name, exports } = JSON.parse(readFileSync(path.join(home, "package.json"), "utf8"));
    return Object.entries(exports).map(([subpath, target]) => ({
      module: name + subpath.slice(1),
      file: path.join(home, target["@paceline/source"]),
    }));
  });
  return modules.filter(({ file }, index) => modules.findIndex((other) => other.file === file) === index);
}

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
  const sections = USER_PACKAGES.flatMap((folder) => publicExports(path.join(ROOT, "packages", folder))).map(
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
