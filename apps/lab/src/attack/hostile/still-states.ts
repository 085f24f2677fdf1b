import {
  ByteWriter,
  MessageKind,
  SoleReceiver,
  SnapshotWriter,
  StateHistory,
  limits,
  planState,
  writeMessage,
  writePacketHeader,
  type EntityDefinition,
  type EntityRows,
  type StreamStart,
} from "@paceline/protocol";

const TICK_HZ = 60;
const FIRST_TICK = 1000;
/** The states of these ticks are what all later ones refer to. */
const BASELINE_TICKS = 3;
const LATER_TICKS = 90;
const PACKET_BYTES = 8000;
/** All states of a tick in one body, so that all of them are plain ones later. */
const MAX_BYTES = 1 << 18;

/** States of entities that do not move: thousands of them in one packet of 270 bytes. */
export class StillStates {
  readonly start: StreamStart;
  /** Whole states of all entities. */
  readonly first: readonly Uint8Array[];
  /** Packets of which each updates all entities. */
  readonly later: readonly Uint8Array[];
  #sequence = 0;

  constructor(definition: EntityDefinition, entities: number) {
    const { name, schemaHash } = definition;
    this.start = { stream: 0, name, tickHz: TICK_HZ, schemaHash };
    const plan = planState(definition, { tickHz: TICK_HZ, hasRates: true });
    const history = new StateHistory({ plans: [plan], historyTicks: limits.historyTicks });
    const senderOf = (maxBytes: number): SoleReceiver => {
      const writer = new SnapshotWriter([plan], maxBytes);
      return new SoleReceiver({ writer, maxBytes, checksumTicks: Infinity });
    };
    const rows = Array.from({ length: entities }, (_, id) => history.spawn(id, plan));
    const values = definition.components.map(({ initial }) => initial);
    const sender = senderOf(MAX_BYTES);
    const packets = Array.from({ length: BASELINE_TICKS + LATER_TICKS }, (_, at) => {
      const tick = FIRST_TICK + at;
      for (const each of rows) history.write(each, tick, values, []);
      const [whole] = this.#packets(sender, tick, rows, at);
      if (at < BASELINE_TICKS) sender.acknowledge(at);
      // The states of the first tick have no baseline, and are too long for one packet.
      return at === 0 ? this.#packets(senderOf(PACKET_BYTES), tick, rows, at) : [whole!];
    });
    this.first = packets.slice(0, BASELINE_TICKS).flat();
    this.later = packets.slice(BASELINE_TICKS).flat();
  }

  /** Returns the packet with a new number, as one that has not been there before. */
  renumbered(packet: Uint8Array): Uint8Array {
    const copy = packet.slice();
    new DataView(copy.buffer).setUint16(1, this.#nextSequence(), true);
    return copy;
  }

  /** Returns the states of a tick. `sequence` is what an ack of them would name. */
  #packets(sender: SoleReceiver, tick: number, rows: readonly EntityRows[], sequence: number): Uint8Array[] {
    const packets: Uint8Array[] = [];
    sender.write(tick, rows, (states) => {
      const body = new ByteWriter(MAX_BYTES).u8(this.start.stream).bytes(states.body).take();
      const writer = new ByteWriter(body.length + 16);
      writePacketHeader(writer, { sequence: this.#nextSequence(), tick, isPublished: true });
      writeMessage(writer, MessageKind.state, body);
      packets.push(writer.take());
      return sequence;
    });
    return packets;
  }

  #nextSequence(): number {
    const sequence = this.#sequence;
    this.#sequence = (sequence + 1) & 0xffff;
    return sequence;
  }
}
