import {
  ByteWriter,
  ReceiverGroup,
  SnapshotWriter,
  StateHistory,
  limits,
  planState,
  type EntityDefinition,
  type EntityRows,
  type PeerPayload,
} from "@paceline/protocol";

/** Writes the states of entities of one kind by hand: valid bytes with any values. */
export class RawStates {
  readonly stream: number;
  readonly definition: EntityDefinition;
  readonly #history: StateHistory;
  readonly #group: ReceiverGroup;
  /** The entities, if each goes on from state to state. If not, each state is one of a new entity, a jump. */
  readonly #kept: Map<number, EntityRows> | undefined;

  constructor(definition: unknown, stream = 0, { isSteady = false } = {}) {
    this.#kept = isSteady ? new Map() : undefined;
    this.stream = stream;
    this.definition = definition as EntityDefinition;
    const plans = [planState(this.definition, { tickHz: 60, hasRates: true })];
    this.#history = new StateHistory({ plans, historyTicks: limits.historyTicks });
    this.#group = new ReceiverGroup({ writer: new SnapshotWriter(plans) });
  }

  announcement(
    more: {
      readonly schemaHash?: number;
      readonly name?: string;
      readonly tickHz?: number;
      readonly entities?: readonly number[];
    } = {},
  ): PeerPayload & { readonly kind: "stream" } {
    const { name, schemaHash } = this.definition;
    return { kind: "stream", stream: this.stream, name, tickHz: 60, schemaHash, ...more };
  }

  /** Returns the body of a state message: the stream's number, and whole states. */
  body(tick: number, ...entries: readonly (readonly [localId: number, ...values: number[]])[]): Uint8Array {
    return new ByteWriter()
      .u8(this.stream)
      .bytes(this.#states(tick, entries, []))
      .take();
  }

  reference(
    tick: number,
    ...entries: readonly (readonly [localId: number, ...values: number[]])[]
  ): PeerPayload {
    const states = new ByteWriter()
      .u32(tick)
      .bytes(this.#states(tick, entries, []))
      .take();
    return { kind: "reference", stream: this.stream, states };
  }

  removal(tick: number, localId: number): PeerPayload {
    const states = new ByteWriter()
      .u32(tick)
      .bytes(this.#states(tick, [], [localId]))
      .take();
    return { kind: "reference", stream: this.stream, states };
  }

  #states(
    tick: number,
    entries: readonly (readonly [localId: number, ...values: number[]])[],
    removed: readonly number[],
  ): Uint8Array {
    const rows = entries.map(([localId, ...values]) => {
      const kept = this.#kept?.get(localId);
      if (!kept) this.#history.remove(localId);
      const entity = kept ?? this.#history.spawn(localId, this.#history.plans[0]!);
      this.#kept?.set(localId, entity);
      this.#history.write(entity, tick, values);
      return entity;
    });
    let states = new Uint8Array(0);
    this.#group.startWhole(tick, rows, removed);
    for (let next = this.#group.next(); next; next = this.#group.next()) states = next.body.slice();
    return states;
  }
}
