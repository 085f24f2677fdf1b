/**
 * Makes what only a packed package needs: msgpackr inside the protocol, since as a dependency it would bring
 * its native part, which games in browsers never run; and the starters as templates of create-paceline.
 */
import { cpSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import path from "node:path";
import { build } from "esbuild";
import { EXAMPLES, starters } from "./starters.mjs";

const PACKAGES = path.resolve(import.meta.dirname, "../packages");
const DIST = path.join(PACKAGES, "protocol/dist");
const BUNDLED = path.join(DIST, "msgpackr.js");
const IMPORTER = path.join(DIST, "bytes/msgpackr-codec.js");

const OPTIONS = /** @type {const} */ ({
  bundle: true,
  format: "esm",
  platform: "browser",
  target: "es2022",
  logLevel: "error",
});

/** @param {string} name @param {string} folder the package that depends on it */
function licenceOf(name, folder) {
  const text = readFileSync(path.join(PACKAGES, folder, "node_modules", name, "LICENSE"), "utf8");
  return `/*! ${name}\n${text.trim()}\n*/`;
}

async function bundleMsgpackr() {
  await build({
    ...OPTIONS,
    stdin: {
      contents: 'export { Packr, Unpackr } from "msgpackr";',
      resolveDir: path.join(PACKAGES, "protocol"),
    },
    outfile: BUNDLED,
    banner: { js: licenceOf("msgpackr", "protocol") },
  });
  replaceImport('"msgpackr"', '"../msgpackr.js"');
}

/** @param {string} from @param {string} to */
function replaceImport(from, to) {
  const code = readFileSync(IMPORTER, "utf8");
  if (!code.includes(`from ${from}`)) throw new Error(`${IMPORTER} does not import ${from}`);
  writeFileSync(IMPORTER, code.replace(`from ${from}`, `from ${to}`));
}

function undoMsgpackr() {
  replaceImport('"../msgpackr.js"', '"msgpackr"');
  rmSync(BUNDLED);
}

const TEMPLATES = path.join(PACKAGES, "create-paceline/templates");

function copyStarters() {
  const { version } = JSON.parse(readFileSync(path.join(TEMPLATES, "../package.json"), "utf8"));
  for (const name of starters()) {
    const folder = path.join(TEMPLATES, name);
    const isCopied = (/** @type {string} */ file) => !["node_modules", "dist"].includes(path.basename(file));
    cpSync(path.join(EXAMPLES, name), folder, { recursive: true, filter: isCopied });
    const manifest = path.join(folder, "package.json");
    writeFileSync(manifest, readFileSync(manifest, "utf8").replaceAll('"workspace:*"', `"${version}"`));
  }
}

function removeStarters() {
  for (const name of starters()) rmSync(path.join(TEMPLATES, name), { recursive: true, force: true });
}

const [what = "", of] = process.argv.slice(2);
if (what === "protocol") await bundleMsgpackr();
else if (what === "create-paceline") copyStarters();
else if (what === "--undo" && of === "protocol") undoMsgpackr();
else if (what === "--undo" && of === "create-paceline") removeStarters();
else
  throw new Error(
    `expected protocol, create-paceline or --undo of either, got ${process.argv.slice(2).join(" ")}`,
  );
