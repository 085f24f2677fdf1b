/** `pnpm bench codec [--data DIR] [--json] [--quick]` */
import os from "node:os";
import { parseArgs } from "node:util";
import { allocationRows, benchCodec, traceDirectory } from "./codec/bench.js";
import { table } from "./table.js";

const VERSIONS = { "@colyseus/schema": "5.0.34", msgpackr: "2.1.3" };
const KEYS = [
  "system",
  "trace",
  "rotation",
  "mode",
  "bytesPerTick",
  "bytesPerTickP99",
  "joinBytes",
  "positionErrorMaxM",
  "headingErrorMaxDeg",
  "velocityErrorMaxMps",
  "encodeUsPerTick",
  "decodeUsPerTick",
  "allocatedBytesPerTick",
];

const { values } = parseArgs({
  options: { data: { type: "string" }, json: { type: "boolean" }, quick: { type: "boolean" } },
});
const directory = traceDirectory(values.data);
if (values.data !== undefined && directory === undefined)
  console.error(`--data ${values.data}: no such folder`);
const { rows, faults } = benchCodec({
  directory,
  isQuick: values.quick === true,
  progress: (text) => console.error(text),
});
const all = [...rows, ...(await allocationRows(directory))];
console.log(table(all, KEYS));
for (const fault of faults) console.log(`does not hold: ${fault}`);
if (values.json) {
  const machine = { cores: os.cpus().length, load: Math.round(os.loadavg()[0]! * 10) / 10 };
  const head = {
    name: "codec",
    date: new Date().toISOString(),
    node: process.version,
    versions: VERSIONS,
    machine,
  };
  console.log(JSON.stringify({ ...head, ...(values.quick ? { quick: true } : {}), rows: all }));
}
const isMissing = values.data !== undefined && directory === undefined;
process.exitCode = faults.length === 0 && !isMissing ? 0 : 1;
