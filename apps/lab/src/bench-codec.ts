/**
 * `pnpm bench codec [--data DIR] [--generic] [--json] [--quick]`; `--generic` measures only states that are
 * not cars.
 */
import os from "node:os";
import { parseArgs } from "node:util";
import { allocationRows, benchCodec, reckoned, type BenchResult } from "./codec/bench.js";
import { genericRows } from "./codec/generic.js";
import { memoryRows } from "./codec/memory.js";
import { table } from "./result/table.js";
import { traceDirectory } from "./trace-directory.js";

const VERSIONS = { "@colyseus/schema": "5.0.34", msgpackr: "2.1.3" };
const WHAT = ["system", "trace", "rotation", "mode"];
/** The columns of each table; `--json` prints all of them in one object. */
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

const GENERIC = ["scene", "simpleBytes", "fixedBytes", "colyseusBytes"];
const CROWD = [
  ...["entities", "bytesPerEntity", "colyseusBytesPerEntity", "encodeUsPerEntity", "decodeUsPerEntity"],
  ...["encodeOfColyseus", "decodeOfColyseus"],
];

const { values } = parseArgs({
  options: {
    data: { type: "string" },
    generic: { type: "boolean" },
    json: { type: "boolean" },
    quick: { type: "boolean" },
  },
});
const isQuick = values.quick === true;
const { rows, faults } = values.generic === true ? benchGeneric() : await benchCars().catch(tellFault);
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
  console.log(JSON.stringify({ ...head, ...(isQuick ? { quick: true } : {}), rows }));
}
process.exitCode = faults.length === 0 ? 0 : 1;

function benchGeneric(): BenchResult {
  const result = genericRows();
  console.log(table(result.rows, GENERIC));
  return result;
}

async function benchCars(): Promise<BenchResult> {
  const directory = traceDirectory(values.data);
  const memory = memoryRows();
  // Counts allocations before the timed runs: objects of other runs would be counted as well.
  const allocations = await allocationRows(directory);
  const measured = benchCodec({ directory, isQuick, progress: (text) => console.error(text) });
  const reckonings = reckoned(directory, isQuick);
  const crowd = measured.rows.filter(({ section }) => section === "crowd");
  const cars = measured.rows.filter(({ section }) => section === undefined);
  console.log(`${table(cars, [...BYTES, ...TIMES])}\n`);
  console.log(`Paceline beside Colyseus, one client:\n${table(crowd, CROWD)}\n`);
  const timed = cars.filter(({ system }) => system !== "entropy");
  console.log(`Errors by rounding:\n${table(timed, ERRORS)}\n`);
  console.log(
    `New objects in steady state, encoding for 8 clients, decoding one:\n${table(allocations.rows, ALLOCATIONS)}\n`,
  );
  console.log(`Bytes of memory, yaw cars, 64 ticks of history:\n${table(memory, MEMORY)}\n`);
  console.log(
    `With dead reckoning, receiver 67 ms away, bytes without packet headers:\n${table(reckonings, RECKONED)}\n`,
  );
  return {
    rows: [...measured.rows, ...allocations.rows, ...memory, ...reckonings],
    faults: [...measured.faults, ...allocations.faults],
  };
}

/** Turns an error, such as a folder without traces, into a result. */
function tellFault(error: unknown): BenchResult {
  return { rows: [], faults: [error instanceof Error ? error.message : String(error)] };
}
