/** `pnpm bench frame [--json] [--quick]` */
import { parseArgs } from "node:util";
import { atMost, boundLines } from "./result/bound.js";
import { frameParts } from "./frame/frame-parts.js";
import { race } from "./frame/race.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";

const USAGE = `pnpm bench frame [--json] [--quick]

What a racer receives in a race of four through the relay, acks and pings included, for each state of the others' cars
that it reads, by the part of the wire format. Whole clients and the relay on a virtual clock, 50 ms round trip: the same
figures on every machine. Payloads of the WebSocket, without its own frames.

  --quick  10 s instead of 60`;

const MAX_BYTES_PER_STATE = 20;
/** Fewest states per second of the three other cars; below it, a car stood still. */
const MIN_STATES_PER_SECOND = 15;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

async function run(): Promise<void> {
  const seconds = values.quick ? 10 : 60;
  const { parts, states } = await race(seconds);
  const { stateBodies, references } = parts.bytes;
  const sums = [
    ...frameParts.map((part) => ({ part, bytes: parts.bytes[part] })),
    { part: "all but states", bytes: parts.totalBytes - stateBodies - references },
    { part: "all", bytes: parts.totalBytes },
  ];
  const { packets } = parts;
  const rows = sums.map(({ part, bytes }) => ({
    part,
    bytesPerState: bytes / states,
    bytes,
    packets,
    states,
  }));
  const bounds = [atMost("bytes for each state", parts.totalBytes / states, MAX_BYTES_PER_STATE)];
  process.stdout.write(`${table(rows, Object.keys(rows[0]!))}\n\n${boundLines(bounds)}\n`);
  const isComplete = states >= MIN_STATES_PER_SECOND * seconds;
  printResult("frame", { rows, bounds, isComplete, isQuick: values.quick, asJson: values.json });
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
process.exit();
