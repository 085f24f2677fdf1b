import { PacketEntries } from "./codec/packet-entries.js";
import { restore } from "./columns/quantiser.js";
import { StateHistory } from "./columns/state-history.js";
import { wholeStateBits } from "./columns/state-size.js";
import type { StatePlan } from "./columns/state-plan.js";
import type { Texts } from "./columns/entity-rows.js";
import { SnapshotReader } from "./read/snapshot-reader.js";
import { SnapshotWriter } from "./send/snapshot-writer.js";

/** Smallest valid history length; one state would do. */
const historyTicks = 4;
/** Upper bound of the packet heads around one entity. */
const HEADS_BYTES = 64;

/**
 * Writes one state of one entity so that it needs no baseline. Throws `ConfigError` for values out of range.
 */
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

/**
 * Reads the bytes of {@link writeWholeState} into a row. Returns the texts, or undefined if the bytes are
 * malformed or the id differs.
 */
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
