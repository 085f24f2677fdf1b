import { describe, expect, test } from "vitest";
import {
  OUT_OF_VIEW,
  PacketEntries,
  SnapshotReader,
  SnapshotWriter,
  StateHistory,
  defineEntity,
  planState,
  vec2,
  type SnapshotListener,
} from "../src/index.js";

const Car = defineEntity("car", {
  position: vec2({ range: [-100, 100], precision: 0.01, unit: "m" }),
});
const plans = [planState(Car, { tickHz: 20 })];

/** Returns a packet of the cars of these ids, all whole, with removals. */
function packet(tick: number, ids: readonly number[], removed: readonly number[] = []): Uint8Array {
  const history = new StateHistory({ plans, historyTicks: 64 });
  const entries = new PacketEntries();
  for (const id of ids) {
    const rows = history.spawn(id, plans[0]!, 0);
    history.write(rows, tick, new Float32Array(Car.components.length));
    entries.add(rows, 0, rows.find(tick));
  }
  return new SnapshotWriter(plans).write({ tick, entries, removed, checked: -1 }).slice();
}

function reading() {
  const heard: string[] = [];
  const listener: SnapshotListener = {
    onState: ({ id }, tick, _place, changes) => void (changes & 1 && heard.push(`+${id} ${tick}`)),
    onRemoved: (id, tick, why) => void heard.push(`-${id} ${tick} ${why}`),
    onDesync: () => undefined,
  };
  const reader = new SnapshotReader({ plans, historyTicks: 64, maxEntities: 100 });
  return { heard, read: (bytes: Uint8Array, tick: number) => reader.read(bytes, tick, listener) };
}

describe("a removal", () => {
  test("says if the entity has ended, or only left the view", () => {
    const { heard, read } = reading();
    read(packet(1, [3, 7, 0xffff]), 1);
    read(packet(2, [], [3, 7 + OUT_OF_VIEW, 0xffff + OUT_OF_VIEW]), 2);
    expect(heard.slice(3)).toEqual(["-3 2 removed", "-7 2 out-of-view", "-65535 2 out-of-view"]);
  });

  test("is not the last word: what comes into view again is born again", () => {
    const { heard, read } = reading();
    read(packet(1, [7]), 1);
    read(packet(2, [], [7 + OUT_OF_VIEW]), 2);
    read(packet(5, [7]), 5);
    expect(heard).toEqual(["+7 1", "-7 2 out-of-view", "+7 5"]);
  });

  test("that comes late does not take away what is in view again", () => {
    const { heard, read } = reading();
    read(packet(1, [7]), 1);
    // The packet of tick 2 is late: the whole state of tick 5 overtakes it.
    read(packet(5, [7]), 5);
    read(packet(2, [], [7 + OUT_OF_VIEW]), 2);
    read(packet(4, [], [7 + OUT_OF_VIEW]), 4);
    expect(heard).toEqual(["+7 1"]);
    read(packet(6, [], [7 + OUT_OF_VIEW]), 6);
    expect(heard).toEqual(["+7 1", "-7 6 out-of-view"]);
  });
});
