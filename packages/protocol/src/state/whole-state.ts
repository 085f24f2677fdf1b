import { PacketEntries } from "./codec/packet-entries.js";
import { restore } from "./plan/quantiser.js";
import { StateHistory } from "./plan/state-history.js";
import { wholeStateBits } from "./plan/state-size.js";
import type { StatePlan } from "./plan/state-plan.js";
import type { Texts } from "./plan/entity-rows.js";
import { SnapshotReader } from "./read/snapshot-reader.js";
import { SnapshotWriter } from "./send/snapshot-writer.js";

/** The least that a history may keep: one state is needed. */
const historyTicks = 4;
/** Heads of a packet of one entity, rounded up. */
const HEADS_BYTES = 64;

/** One state of one entity as a body of the state codec that needs no baseline. Throws `ConfigError` for values out of range. */
export function writeWholeState(
  plan: StatePlan,
  id: number,
  state: ArrayLike<number>,
  texts: Texts = [],
): Uint8Array {
  const history = new StateHistory({ plans: [plan], historyTicks });
  const rows = history.spawn(id, plan);
  history.write(rows, 0, state, texts);
  const entries = new PacketEntries();
  entries.add(rows, 0, rows.find(0));
  const writer = new SnapshotWriter([plan], (wholeStateBits(plan) >> 3) + HEADS_BYTES);
  return writer.write({ tick: 0, entries, removed: [], checked: -1 }).slice();
}

/** Reads what {@link writeWholeState} wrote into a row; its texts, or undefined where the bytes are no state of that entity. */
export function readWholeState(
  plan: StatePlan,
  id: number,
  body: Uint8Array,
  into: Float32Array,
): Texts | undefined {
  let texts: Texts | undefined;
  const reader = new SnapshotReader({ plans: [plan], historyTicks, maxEntities: 1 });
  reader.read(body, 0, {
    onState: (entity, tick, place) => {
      if (entity.id !== id) return;
      restore(plan, entity.rows, place, into);
      texts = entity.textsAt(tick);
    },
    onRemoved: () => undefined,
    onDesync: () => undefined,
  });
  return texts;
}
