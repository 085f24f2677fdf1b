/**
 * `pnpm release --dry-run`: packs every package, lets publint and arethetypeswrong look at it, and asks npm what it would
 * publish. Without `--dry-run` npm publishes them, dependencies first.
 */
import "./node-version.mjs";
import { readdirSync } from "node:fs";
import path from "node:path";
import { parseArgs } from "node:util";
import { buildAll } from "./build.mjs";
import { endChildrenOnSignals, runChild } from "./children.mjs";
import { ROOT } from "./pnpm.mjs";
import { manifestIn, withPacked } from "./verify/tarballs.mjs";

const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });
const isDry = values["dry-run"];

/** @typedef {{ file: string, name: string, version: string, needs: string[] }} Packed */

/** @param {string} file @returns {Promise<Packed>} */
async function readPacked(file) {
  const { name, version, dependencies = {}, peerDependencies = {} } = await manifestIn(file);
  return { file, name, version, needs: [...Object.keys(dependencies), ...Object.keys(peerDependencies)] };
}

/** Nobody can install a package whose dependency is not there yet. @param {Packed[]} packages */
function dependenciesFirst(packages) {
  /** @type {Set<Packed>} */
  const ordered = new Set();
  /** @param {Packed} each */
  const visit = (each) => {
    for (const other of packages) if (each.needs.includes(other.name) && !ordered.has(other)) visit(other);
    ordered.add(each);
  };
  for (const each of packages) visit(each);
  return [...ordered];
}

/** @param {string} command @param {string[]} args @returns {Promise<boolean>} */
async function succeeds(command, args) {
  const { code, output } = await runChild(command, args, { cwd: ROOT });
  if (code !== 0) console.error(output);
  return code === 0;
}

async function release() {
  const tree = await runChild("git", ["status", "--porcelain"], { cwd: ROOT });
  if (!isDry && tree.output !== "") throw new Error("There are changes that are not committed.");
  const waiting = readdirSync(path.join(ROOT, ".changeset")).filter((name) =>
    /^(?!README).*\.md$/.test(name),
  );
  if (waiting.length > 0) {
    const what = `${waiting.length} changes wait for \`pnpm changeset version\`: ${waiting.join(", ")}`;
    if (!isDry) throw new Error(what);
    console.log(what);
  }
  if (!(await buildAll())) throw new Error("It does not build.");
  if (!(await succeeds(process.execPath, [path.join(ROOT, "tools/shape.mjs")])))
    throw new Error("The packages are not in shape; the lines above say why.");
  await withPacked(async (tarballs) => {
    for (const { file, name, version } of dependenciesFirst(await Promise.all(tarballs.map(readPacked)))) {
      const args = ["publish", file, "--access", "public", ...(isDry ? ["--dry-run"] : ["--provenance"])];
      if (!(await succeeds("npm", args))) throw new Error(`npm did not take ${name} ${version}.`);
      console.log(`${isDry ? "would publish" : "published"} ${name} ${version}`);
    }
  });
}

endChildrenOnSignals(130);
await release().catch((error) => {
  console.error(String(error));
  process.exitCode = 1;
});
