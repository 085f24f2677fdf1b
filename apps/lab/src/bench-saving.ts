/** `pnpm bench saving [--json] [--quick]` */
import { parseArgs } from "node:util";
import { atMost, boundLines } from "./result/bound.js";
import { printResult } from "./result/result.js";
import { table } from "./result/table.js";
import { BOUND_BYTES, MAX_LOOP_MS, measureSaves, type SaveFigures } from "./saving/measure-saves.js";

const USAGE = `pnpm bench saving [--json] [--quick]

What it costs the server's loop to write a save of a room, from the call until the save would survive a crash: "cpu" is the
processor time of the loop's thread (Linux), "loop" the time that the loop ran, "total" all the time, mostly the disk's.
Encoding the room comes before, and is not in it.

  --quick  a tenth of the saves`;

const SAVES = 1000;

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    quick: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});

async function run(): Promise<void> {
  const saves = values.quick ? SAVES / 10 : SAVES;
  const rows: SaveFigures[] = [];
  for (const bytes of [1024, BOUND_BYTES, 262_144]) rows.push(await measureSaves("files", bytes, saves));
  for (const name of ["driver", "memory"] as const) rows.push(await measureSaves(name, BOUND_BYTES, saves));
  const reference = rows.find(({ store, bytes }) => store === "files" && bytes === BOUND_BYTES);
  const { cpuP50Ms, loopP50Ms } = reference!;
  const measured = cpuP50Ms === "none" ? loopP50Ms : cpuP50Ms;
  const value = measured === "none" ? undefined : measured;
  const bounds = [atMost("ms of the loop to write 16 kB to a file, p50", value, MAX_LOOP_MS)];
  process.stdout.write(`${table(rows, Object.keys(rows[0]!))}\n\n${boundLines(bounds)}\n`);
  printResult("saving", { rows, bounds, isComplete: true, isQuick: values.quick, asJson: values.json });
}

if (values.help) process.stdout.write(`${USAGE}\n`);
else await run();
