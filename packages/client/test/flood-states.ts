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
  type PeerPayload,
} from "@paceline/protocol";

/** Ticks of the baselines to which all later states refer. */
const BASELINE_TICKS = 3;
/** Largest body that a reader takes: no packet is split. */
const MAX_BYTES = 1 << 18;

/**
 * Writes states of many entities in few bytes: of entities that do not move, a state takes no more than some
 * bits.
 */
export class FloodStates {
  readonly definition: EntityDefinition;
  readonly #sender: SoleReceiver;
  readonly #history: StateHistory;
  readonly #rows: EntityRows[];
  readonly #firstTick: number;
  #sequence = 0;

  constructor(definition: unknown, entities: number, firstTick: number) {
    this.definition = definition as EntityDefinition;
    this.#firstTick = firstTick;
    const plan = planState(this.definition, { tickHz: 60, hasRates: true });
    this.#history = new StateHistory({ plans: [plan], historyTicks: limits.historyTicks });
    const writer = new SnapshotWriter([plan], MAX_BYTES);
    this.#sender = new SoleReceiver({
      writer,
      maxBytes: MAX_BYTES,
      checksumTicks: Infinity,
    });
    this.#rows = Array.from({ length: entities }, (_, id) => this.#history.spawn(id, plan));
  }

  get announcement(): PeerPayload & { readonly kind: "stream" } {
    const { name, schemaHash } = this.definition;
    return { kind: "stream", stream: 0, name, tickHz: 60, schemaHash };
  }

  /** Returns the bodies of the next ticks, with the tick of each. The first ones are whole states. */
  bodies(ticks: number): { readonly tick: number; readonly body: Uint8Array }[] {
    const bodies: { tick: number; body: Uint8Array }[] = [];
    for (let index = 0; index < ticks; index++) {
      const tick = this.#firstTick + this.#sequence;
      const { components, textCount } = this.definition;
      const values = components.map(({ initial }) => initial);
      const texts = Array.from({ length: textCount }, () => "");
      for (const rows of this.#rows) this.#history.write(rows, tick, values, texts);
      this.#sender.write(tick, this.#rows, (states) => {
        bodies.push({ tick, body: new ByteWriter().u8(0).bytes(states.body).take() });
        return this.#sequence;
      });
      if (this.#sequence < BASELINE_TICKS) this.#sender.acknowledge(this.#sequence);
      this.#sequence += 1;
    }
    return bodies;
  }
}

/** Returns a packet with a message of states. A published one is for several peers. */
export function statePacket(
  sequence: number,
  tick: number,
  body: Uint8Array,
  isPublished = true,
): Uint8Array {
  const writer = new ByteWriter();
  writePacketHeader(writer, { sequence, tick, isPublished });
  writeMessage(writer, MessageKind.state, body);
  return writer.take();
}
