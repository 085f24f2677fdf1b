import {
  SnapshotReader,
  limits,
  matchColumns,
  planState,
  stateWeight,
  type DropReason,
  type SnapshotListener,
  type StatePlan,
} from "@paceline/protocol";

export interface CodedStatesOptions {
  /** State plans of the room's kinds, in the order in which the welcome lists them. */
  readonly plans: readonly StatePlan[];
  /** Ticks per second of the player's states. */
  readonly tickHz: number;
  /** Returns the player's description of a kind, if the player's build has other columns. */
  columnsOf(kind: number): Uint8Array | undefined;
  /** Returns the limit of entities of a kind that the player may own. */
  maxOf(kind: number): number;
  /** Takes states off the player's allowance. Returns false if it is used up. */
  takeStates(states: number): boolean;
  readonly onState: SnapshotListener["onState"];
  /** Called if states cannot be decoded, because their baseline is missing or a different one. */
  onLost(): void;
}

/** Spare places for entities that have ended in the room while packets still name them. */
const SPARE_ENTITIES = 8;
/** Drops after which later states cannot be decoded either. */
const lost: ReadonlySet<DropReason> = new Set(["no-baseline", "unknown-entity", "queue-full"]);

/**
 * Decodes the states of one player's own entities: one stream for each kind, coded as differences from
 * earlier states.
 */
export class CodedStates implements SnapshotListener {
  readonly tickHz: number;
  readonly #options: CodedStatesOptions;
  readonly #plans = new Map<number, StatePlan>();
  readonly #readers = new Map<number, SnapshotReader>();

  constructor(options: CodedStatesOptions) {
    this.#options = options;
    this.tickHz = options.tickHz;
  }

  /** Returns the layout of a kind's states in the player's packets. */
  planOf(kind: number): StatePlan {
    const known = this.#plans.get(kind);
    if (known) return known;
    const { plans, tickHz } = this.#options;
    const { definition } = plans[kind]!;
    const options = { tickHz, hasRates: true };
    const columns = this.#options.columnsOf(kind);
    const matched = columns && matchColumns(definition, columns, options)?.plan;
    const plan = matched ?? planState(definition, options);
    this.#plans.set(kind, plan);
    return plan;
  }

  /** Reads a body of states. Returns a reason if it is dropped. */
  read(body: Uint8Array, tick: number): DropReason | undefined {
    const kind = body[0] ?? -1;
    const reader = this.#readers.get(kind) ?? this.#newReader(kind);
    if (!reader) return "bad-message";
    const reason = reader.read(body.subarray(1), tick, this);
    // The reader has no place for another entity: a new one starts with the whole states that follow.
    if (reason === "queue-full") this.#readers.delete(kind);
    if (reason !== undefined && lost.has(reason)) this.#options.onLost();
    return reason;
  }

  /** Forgets an entity: its number may name another one later. */
  end(localId: number): void {
    for (const reader of this.#readers.values()) reader.end(localId);
  }

  /** Forgets all streams, when the player's page is gone. */
  clear(): void {
    this.#readers.clear();
    this.#plans.clear();
  }

  onState(...news: Parameters<SnapshotListener["onState"]>): void {
    this.#options.onState(...news);
  }

  onRemoved(): void {
    // Does nothing: a player ends an entity by `disown`, not by its states.
  }

  onDesync(id: number): void {
    for (const reader of this.#readers.values()) reader.forget(id);
    this.#options.onLost();
  }

  #newReader(kind: number): SnapshotReader | undefined {
    const maxOwned = this.#options.maxOf(kind);
    if (maxOwned === 0) return undefined;
    const plan = this.planOf(kind);
    const weight = stateWeight(plan.width, plan.texts.length);
    const reader = new SnapshotReader({
      plans: [plan],
      historyTicks: limits.historyTicks,
      maxEntities: maxOwned + SPARE_ENTITIES,
      takeStates: (states) => this.#options.takeStates(states * weight),
    });
    this.#readers.set(kind, reader);
    return reader;
  }
}
