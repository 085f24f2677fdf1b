/**
 * `pnpm dissector [MODULE] > paceline.lua`: a dissector for Wireshark and tshark that knows the entities which MODULE
 * exports, by default those of the demo game.
 */
import "./node-version.mjs";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ROOT } from "./pnpm.mjs";

const DEMO = path.join(ROOT, "apps/demo-game/src/net/car-entity.ts");
/** In the order in which they use each other, by the names under which they do. */
const PARTS = {
  numbers: "numbers.lua",
  RangeReader: "range_reader.lua",
  plans: "plan.lua",
  rotation: "rotation.lua",
  EntityReader: "entity_reader.lua",
  States: "state_reader.lua",
  msgpack: "msgpack.lua",
  fields: "fields.lua",
  packets: "packets.lua",
};

/** @param {string} module @returns {Promise<string>} */
async function tablesOf(module) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "paceline-dissector-"));
  const bundle = path.join(folder, "tables.mjs");
  const contents = `
    import { dissectorTables } from ${JSON.stringify(path.join(ROOT, "packages/protocol/src/index.ts"))};
    import * as exported from ${JSON.stringify(module)};
    const isDefinition = (value) => typeof value?.schemaHash === "number" && Array.isArray(value.leaves);
    const definitions = Object.values(exported).filter(isDefinition);
    export const names = definitions.map(({ name }) => name);
    export const tables = dissectorTables(definitions);`;
  await build({
    stdin: { contents, resolveDir: path.dirname(module), sourcefile: "tables.ts", loader: "ts" },
    outfile: bundle,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@paceline/source"],
    logLevel: "error",
  });
  try {
    const { names, tables } = await import(pathToFileURL(bundle).href);
    if (names.length === 0) throw new Error(`${module} exports no definition of an entity`);
    return `-- Entities: ${names.join(", ")}.\n${tables}`;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} [module] @returns {Promise<string>} the dissector */
export async function dissector(module = DEMO) {
  const read = (/** @type {string} */ file) => readFileSync(path.join(ROOT, "tools/dissector", file), "utf8");
  const parts = Object.entries(PARTS).map(
    ([name, file]) => `local ${name} = (function()\n${read(file)}end)()\n`,
  );
  const head =
    "-- Paceline in Wireshark, written by `pnpm dissector`. Put it into the folder of personal Lua plugins.\n";
  return [head, await tablesOf(path.resolve(module)), ...parts, read("register.lua")].join("\n");
}

if (
  process.argv[1] !== undefined &&
  path.resolve(process.argv[1]) === path.join(ROOT, "tools/dissector.mjs")
) {
  process.stdout.write(await dissector(process.argv[2]));
}
