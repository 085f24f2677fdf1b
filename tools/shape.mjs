/** Packs every publishable package like for npm, and checks the tarball with publint and arethetypeswrong. */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { runChild } from "./children.mjs";
import { binOf, pnpm, ROOT } from "./pnpm.mjs";
import { manifestIn, publishableFolders } from "./verify/tarballs.mjs";

/** @param {string} folder @param {string} target @returns {Promise<string>} the faults, or an empty string */
async function faultsOf(folder, target) {
  const packed = await pnpm(["pack", "--pack-destination", target], { cwd: folder });
  if (packed.code !== 0) return packed.output;
  const tarball = path.join(target, readdirSync(target)[0] ?? "");
  const linted = await runChild(process.execPath, [binOf("publint"), "run", tarball, "--strict"]);
  // A package with only a command has no types.
  if ((await manifestIn(tarball)).exports === undefined) return linted.code === 0 ? "" : linted.output;
  const attw = binOf("@arethetypeswrong/cli", "attw");
  const typed = await runChild(process.execPath, [attw, tarball, "--profile", "esm-only"]);
  return [linted, typed].map((result) => (result.code === 0 ? "" : result.output)).join("");
}

let failed = 0;
for (const folder of publishableFolders()) {
  const target = mkdtempSync(path.join(os.tmpdir(), "paceline-pack-"));
  const faults = await faultsOf(folder, target);
  rmSync(target, { recursive: true });
  if (faults !== "") failed += 1;
  console.log(`${faults === "" ? "ok  " : "FAIL"} ${path.relative(ROOT, folder)}`);
  if (faults !== "") console.log(faults);
}
process.exitCode = failed === 0 ? 0 : 1;
