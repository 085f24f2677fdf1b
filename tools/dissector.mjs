/**
 * `pnpm dissector [MODULE] > paceline.lua`: a dissector for Wireshark and tshark that knows the entities
 * which MODULE exports, by default those of the demo game.
 */
import "./node-version.mjs";
import { readFileSync } from "node:fs";
import path from "node:path";
import { DEMO, definitionsOf } from "./definitions.mjs";
import { ROOT } from "./pnpm.mjs";

/** The parts in the order of their dependencies, by the names under which they use each other. */
const PARTS = {
  numbers: "numbers.lua",
  BitReader: "bit_reader.lua",
  plans: "plan.lua",
  rotation: "rotation.lua",
  RowReader: "row_reader.lua",
  States: "state_reader.lua",
  msgpack: "msgpack.lua",
  fields: "fields.lua",
  packets: "packets.lua",
};

/** @param {string} module @returns {Promise<string>} */
async function tablesOf(module) {
  const { definitions, dissectorTables } = await definitionsOf(module);
  if (definitions.length === 0) throw new Error(`${module} exports no definition of an entity`);
  const names = definitions.map(({ name }) => name).join(", ");
  return `-- Entities: ${names}.\n${dissectorTables(definitions)}`;
}

/** @param {string} module @returns {Promise<string>} the dissector */
async function dissector(module) {
  const read = (/** @type {string} */ file) => readFileSync(path.join(ROOT, "tools/dissector", file), "utf8");
  const parts = Object.entries(PARTS).map(
    ([name, file]) => `local ${name} = (function()\n${read(file)}end)()\n`,
  );
  const head =
    "-- Paceline in Wireshark, written by `pnpm dissector`. Put it into the folder of personal Lua plugins.\n";
  return [head, await tablesOf(path.resolve(module)), ...parts, read("register.lua")].join("\n");
}

process.stdout.write(await dissector(process.argv[2] ?? DEMO));
