import {
  SnapshotWriter,
  SnapshotReader,
  SoleReceiver,
  StateHistory,
  defineEntity,
  planState,
  uint,
} from "@paceline/protocol";
import { expect, test } from "vitest";

test("a number that changes now and then is a difference from its last state alone", () => {
  const bar = defineEntity("bar", { health: uint({ range: [0, 100] }) });
  const plan = planState(bar, { tickHz: 20 });
  const history = new StateHistory({ plans: [plan] });
  const sender = new SoleReceiver({
    writer: new SnapshotWriter([plan]),
    checksumTicks: Number.POSITIVE_INFINITY,
  });
  const reader = new SnapshotReader({ plans: [plan], historyTicks: 64, maxEntities: 1 });
  const entity = history.spawn(0, plan);
  const healths: number[] = [];
  let bytes = 0;
  for (const [tick, health] of [
    [0, 100],
    [50, 90],
    [110, 70],
    [170, 40],
  ] as const) {
    history.write(entity, tick, [health]);
    sender.write(tick, [entity], ({ body }) => {
      bytes = body.length;
      const reason = reader.read(body, tick, {
        onState: ({ rows }, _tick, place) => healths.push(rows[place + 2]!),
        onRemoved: () => undefined,
        onDesync: () => undefined,
      });
      expect(reason).toBeUndefined();
      return tick;
    });
    sender.acknowledge(tick);
  }
  expect(healths).toEqual([100, 90, 70, 40]);
  // 9 bits for the age, and none for the ticks before it.
  expect(bytes).toBeLessThanOrEqual(4);
});
