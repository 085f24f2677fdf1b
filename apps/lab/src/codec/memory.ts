import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import {
  Receiver,
  ReceiverGroup,
  SnapshotReader,
  SnapshotWriter,
  SoleReceiver,
  StateHistory,
  planState,
} from "@paceline/protocol";
import type { Row } from "./bench.js";
import { defineCar } from "./car.js";

const HZ = 30;
const TICKS = 200;
const COUNTS = [64, 256] as const;
const RECEIVERS = [2, 10] as const;

/** Collects garbage and returns the bytes in use. */
function usedBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  collect();
  collect();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}

/** Builds a history and a group of receivers with acknowledgements of their own, and measures their bytes. */
function build(entityCount: number, receivers: number): { readonly bytes: number } {
  const before = usedBytes();
  const plan = planState(defineCar("yaw", []), { tickHz: HZ });
  const history = new StateHistory({ plans: [plan] });
  const writer = new SnapshotWriter([plan]);
  const entities = Array.from({ length: entityCount }, (_, id) => history.spawn(id, plan));
  const group = new ReceiverGroup({ writer });
  const members = Array.from({ length: receivers }, () => new Receiver());
  for (const receiver of members) receiver.join(group);
  const values = new Float64Array(plan.definition.components.length);
  let sequence = 0;
  for (let tick = 0; tick < TICKS; tick++) {
    for (const entity of entities) {
      values[0] = (tick % 50) + entity.id * 0.1;
      history.write(entity, tick, values);
    }
    const from = sequence;
    group.start(tick, entities, members, () => entities);
    for (let states = group.next(); states; states = group.next()) {
      for (const receiver of states.receivers) receiver.sent(states, sequence, 0);
      sequence += 1;
    }
    for (const receiver of members)
      for (let arrived = from; arrived < sequence; arrived++) receiver.acknowledge(arrived);
  }
  const bytes = usedBytes() - before;
  // Uses the objects, so that the garbage collection above could not free them.
  if (history.entities.length + members.length !== entityCount + receivers) throw new Error("lost entities");
  return { bytes };
}

function readerBytes(entityCount: number): number {
  const plan = planState(defineCar("yaw", []), { tickHz: HZ });
  const history = new StateHistory({ plans: [plan] });
  const entities = Array.from({ length: entityCount }, (_, id) => history.spawn(id, plan));
  const sender = new SoleReceiver({ writer: new SnapshotWriter([plan]) });
  const values = new Float64Array(plan.definition.components.length);
  const bodies: Uint8Array[] = [];
  for (const entity of entities) history.write(entity, 0, values);
  sender.write(0, entities, ({ body }) => bodies.push(body.slice()));
  const before = usedBytes();
  const reader = new SnapshotReader({ plans: [plan], historyTicks: 64, maxEntities: entityCount });
  const listener = { onState: () => undefined, onRemoved: () => undefined, onDesync: () => undefined };
  for (const body of bodies) reader.read(body, 0, listener);
  const bytes = usedBytes() - before;
  if (reader.entities.size !== entityCount) throw new Error("lost entities");
  return bytes;
}

/**
 * Returns the bytes per additional entity at the sender and at a reader, and per additional receiver of 64
 * entities, with 64
 * ticks of history.
 */
export function memoryRows(): Row[] {
  const [few, many] = COUNTS;
  const [least, most] = RECEIVERS;
  // The engine's own memory while it warms up belongs to no entity.
  build(few, most);
  const built = (entities: number, receivers: number) => median(() => build(entities, receivers).bytes);
  const read = (entities: number) => median(() => readerBytes(entities));
  const ofReceiver = (built(few, most) - built(few, least)) / (most - least);
  const row = {
    section: "memory",
    historyBytesPerEntity: (built(many, 0) - built(few, 0)) / (many - few),
    readerBytesPerEntity: (read(many) - read(few)) / (many - few),
    bytesPerReceiver: ofReceiver,
    bytesPerReceiverAndEntity: ofReceiver / few,
  };
  return [row];
}

function median(measured: () => number): number {
  const values = Array.from({ length: 5 }, measured).toSorted((a, b) => a - b);
  return values[2]!;
}
