import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { expect, test } from "vitest";
import { SoleReceiver, SnapshotWriter, StateHistory, defineEntity, planState, scalar } from "../src/index.js";

const ENTITIES = 100;
/** One more turn through all places for packets on their way. */
const TICKS = 2048;
/** Measured: 12 to 117 kB, mostly of the engine's own, and 1,155 kB with a record for each of 1024 packets. */
const MAX_BYTES = 400_000;

setFlagsFromString("--expose-gc");
const collect = runInNewContext("gc") as () => void;

function heapBytes(): number {
  collect();
  return process.memoryUsage().heapUsed;
}

test("a sender whose packets are acknowledged keeps no record of them", () => {
  const plans = [
    planState(defineEntity("point", { x: scalar({ range: [0, 100], precision: 0.1 }) }), { tickHz: 30 }),
  ];
  const history = new StateHistory({ plans, historyTicks: 64 });
  const entities = Array.from({ length: ENTITIES }, (_, id) => history.spawn(id, plans[0]!, 0));
  const sender = new SoleReceiver({ writer: new SnapshotWriter(plans) });
  let sent = 0;
  const sendTick = (tick: number): void => {
    for (const entity of entities) history.write(entity, tick, new Float32Array([tick % 100]));
    sender.write(tick, entities, () => {
      sent += 1;
      return sent % 0x10000;
    });
    // The receiver has answered the packet before the last one.
    if (sent > 2) sender.acknowledge((sent - 2) % 0x10000);
  };
  for (let tick = 1; tick <= 64; tick++) sendTick(tick);
  const before = heapBytes();
  for (let tick = 65; tick <= 64 + TICKS; tick++) sendTick(tick);
  expect(heapBytes() - before).toBeLessThan(MAX_BYTES);
  expect(sent).toBeGreaterThanOrEqual(64 + TICKS);
});
