/** `pnpm bench tables`: regenerates the tables of the state codec. */
import { writeFileSync } from "node:fs";
import { tablesSource } from "./codec/make-tables.js";

const FILE = "packages/protocol/src/state/codec/tables.ts";
writeFileSync(FILE, tablesSource());
console.log(`${FILE} is made again; the codec's vectors and its page follow.`);
