/** `pnpm bench coders [--data DIR] [--json]`: ways to write the same residuals, yaw cars at the rivals' precision. */
import { parseArgs } from "node:util";
import { traceDirectory } from "./codec/bench.js";
import { coderRows } from "./codec/coders.js";
import { generateTrace } from "./codec/generated-trace.js";
import { readTrace, traceNames } from "./codec/trace.js";
import { table } from "./table.js";

const SECONDS = 120;
const KEYS = [
  ...["trace", "baselineMs", "bitPacking", "rice", "binaryRangeByPacket", "binaryRangeLearned"],
  ...["order0Entropy", "paceline"],
];

const { values } = parseArgs({ options: { data: { type: "string" }, json: { type: "boolean" } } });
const directory = traceDirectory(values.data);
const traces = [generateTrace(1, SECONDS), generateTrace(2, SECONDS)];
if (directory !== undefined) {
  for (const name of traceNames(directory)) traces.push(readTrace(directory, name, SECONDS));
}
const rows = traces.flatMap(coderRows);
console.log(table(rows, KEYS));
if (values.json)
  console.log(
    JSON.stringify({ name: "coders", date: new Date().toISOString(), node: process.version, rows }),
  );
