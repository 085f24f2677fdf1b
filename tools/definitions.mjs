/** Loads the definitions of entities that a game's module exports, with the protocol's code for them. */
import { mkdtempSync, rmSync } from "node:fs";
import os from "node:os";
import path from "node:path";
import { pathToFileURL } from "node:url";
import { build } from "esbuild";
import { ROOT } from "./pnpm.mjs";

/** @typedef {typeof import("../packages/protocol/dist/index.js")} Protocol */
/** @typedef {typeof import("./dissector/tables.js").dissectorTables} DissectorTables */
/** @typedef {typeof import("./docs/field-table.js").fieldTable} FieldTable */
/** @typedef {import("../packages/protocol/dist/index.js").EntityDefinition} EntityDefinition */

/** Path of the demo game's definitions. */
export const DEMO = path.join(ROOT, "apps/demo-game/src/net/car-entity.ts");

/** @param {string} module @returns {Promise<{ definitions: EntityDefinition[], protocol: Protocol, dissectorTables: DissectorTables, fieldTable: FieldTable }>} */
export async function definitionsOf(module) {
  const folder = mkdtempSync(path.join(os.tmpdir(), "paceline-definitions-"));
  const outfile = path.join(folder, "definitions.mjs");
  const contents = `
    import * as exported from ${JSON.stringify(path.resolve(module))};
    export * as protocol from ${JSON.stringify(path.join(ROOT, "packages/protocol/src/index.ts"))};
    export { dissectorTables } from ${JSON.stringify(path.join(ROOT, "tools/dissector/tables.ts"))};
    export { fieldTable } from ${JSON.stringify(path.join(ROOT, "tools/docs/field-table.ts"))};
    const isDefinition = (value) => typeof value?.schemaHash === "number" && Array.isArray(value.leaves);
    export const definitions = Object.values(exported).filter(isDefinition);`;
  await build({
    stdin: { contents, resolveDir: path.dirname(path.resolve(module)), loader: "ts" },
    outfile,
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    conditions: ["@paceline/source"],
    logLevel: "error",
  });
  try {
    return await import(pathToFileURL(outfile).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}
