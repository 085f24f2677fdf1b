/**
 * `pnpm release --dry-run`: packs every package, checks it with publint and arethetypeswrong, and asks npm
 * what it would
 * publish. Without `--dry-run` npm publishes the packages, dependencies first.
 */
import "./node-version.mjs";
import { readdirSync } from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";
import { buildAll } from "./build.mjs";
import { endChildrenOnSignals, runChild } from "./children.mjs";
import { ROOT } from "./pnpm.mjs";
import { manifestIn, withPacked } from "./verify/tarballs.mjs";

/** @typedef {{ file: string, name: string, version: string, needs: string[], repository: unknown }} Packed */

/** @param {string} file @returns {Promise<Packed>} */
async function readPacked(file) {
  const { name, version, repository, dependencies = {}, peerDependencies = {} } = await manifestIn(file);
  return {
    file,
    name,
    version,
    repository,
    needs: [...Object.keys(dependencies), ...Object.keys(peerDependencies)],
  };
}

/**
 * Npm attests the public repository of a package's build, and refuses a package without one.
 * @param {{ name: string, repository: unknown }[]} packages @returns {string | undefined} the fault
 */
export function repositoryFault(packages) {
  const names = packages.filter(({ repository }) => repository === undefined).map(({ name }) => name);
  if (names.length === 0) return undefined;
  return `There is no public repository yet. Once there is one, name it as "repository" in the package.json of ${names.join(", ")}.`;
}

/**
 * Sorts packages so that each comes after its dependencies: without them it cannot be installed.
 * @template {{ name: string, needs: string[] }} P @param {P[]} packages @returns {P[]}
 */
export function dependenciesFirst(packages) {
  /** @type {Set<P>} */
  const ordered = new Set();
  /** @param {P} each */
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

/** @param {boolean} isDry */
async function release(isDry) {
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
    const packages = dependenciesFirst(await Promise.all(tarballs.map(readPacked)));
    const fault = repositoryFault(packages);
    if (fault !== undefined && !isDry) throw new Error(fault);
    if (fault !== undefined) console.log(fault);
    for (const { file, name, version } of packages) {
      const args = ["publish", file, "--access", "public", ...(isDry ? ["--dry-run"] : ["--provenance"])];
      if (!(await succeeds("npm", args))) throw new Error(`npm did not take ${name} ${version}.`);
      console.log(`${isDry ? "would publish" : "published"} ${name} ${version}`);
    }
  });
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  const { values } = parseArgs({ options: { "dry-run": { type: "boolean", default: false } } });
  endChildrenOnSignals(130);
  await release(values["dry-run"]).catch((error) => {
    console.error(String(error));
    process.exitCode = 1;
  });
}
