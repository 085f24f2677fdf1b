/** `pnpm bench codec [--data DIR] [--json] [--quick]` */
import os from "node:os";
import { parseArgs } from "node:util";
import { allocationRows, benchCodec, reckoned, traceDirectory } from "./codec/bench.js";
import { memoryRows } from "./codec/memory.js";
import { table } from "./table.js";

const VERSIONS = { "@colyseus/schema": "5.0.34", msgpackr: "2.1.3" };
const WHAT = ["system", "trace", "rotation", "mode"];
/** What each table shows; `--json` has all keys in one. */
const BYTES = [...WHAT, "bytesPerTick", "bytesPerTickP99", "joinBytes"];
const TIMES = ["encodeUsPerTick", "decodeUsPerTick", "encodeUsPerEntity", "decodeUsPerEntity"];
const ERRORS = [
  ...WHAT,
  ...["positionErrorMeanM", "positionErrorP99M", "positionErrorMaxM"],
  ...["headingErrorMeanDeg", "headingErrorP99Deg", "headingErrorMaxDeg"],
  ...["velocityErrorMeanMps", "velocityErrorP99Mps", "velocityErrorMaxMps"],
];
const ALLOCATIONS = [
  ...WHAT,
  ...["allocationsPerTick", "allocatedBytesPerTick"],
  ...["decodeAllocationsPerTick", "decodeAllocatedBytesPerTick"],
];
const RECKONED = [
  ...["trace", "due", "bytesPerSecondPerCar", "statesPerSecondPerCar", "packetsPerSecond"],
  ...["positionErrorMeanM", "positionErrorP99M", "positionErrorMaxM"],
  ...["headingErrorMeanDeg", "headingErrorP99Deg", "headingErrorMaxDeg"],
];
const MEMORY = [
  "historyBytesPerEntity",
  "readerBytesPerEntity",
  "bytesPerReceiver",
  "bytesPerReceiverAndEntity",
];

const { values } = parseArgs({
  options: { data: { type: "string" }, json: { type: "boolean" }, quick: { type: "boolean" } },
});
const directory = traceDirectory(values.data);
if (values.data !== undefined && directory === undefined)
  console.error(`--data ${values.data}: no such folder`);
const isQuick = values.quick === true;
const memory = memoryRows();
// Before what is timed: it is counted in objects, and those of other runs would be among them.
const allocations = await allocationRows(directory);
const { rows, faults: broken } = benchCodec({ directory, isQuick, progress: (text) => console.error(text) });
const reckonings = reckoned(directory, isQuick);
const all = [...rows, ...allocations.rows, ...memory, ...reckonings];
const faults = [...broken, ...allocations.faults];
const timed = rows.filter(({ system }) => system !== "entropy");
console.log(`${table(rows, [...BYTES, ...TIMES])}\n`);
console.log(`Errors by rounding:\n${table(timed, ERRORS)}\n`);
console.log(
  `New objects in steady state, encoding for 8 clients, decoding one:\n${table(allocations.rows, ALLOCATIONS)}\n`,
);
console.log(`Bytes of memory, yaw cars, 64 ticks of history:\n${table(memory, MEMORY)}\n`);
console.log(
  `With dead reckoning, receiver 67 ms away, bytes without packet headers:\n${table(reckonings, RECKONED)}\n`,
);
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
  console.log(JSON.stringify({ ...head, ...(isQuick ? { quick: true } : {}), rows: all }));
}
const isMissing = values.data !== undefined && directory === undefined;
process.exitCode = faults.length === 0 && !isMissing ? 0 : 1;
