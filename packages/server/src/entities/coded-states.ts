import {
  SnapshotReader,
  limits,
  matchColumns,
  planState,
  type DropReason,
  type SnapshotListener,
  type StatePlan,
} from "@paceline/protocol";

export interface CodedStatesOptions {
  /** The room's kinds, in the order in which a welcome tells of them. */
  readonly plans: readonly StatePlan[];
  /** Ticks per second of the player's states. */
  readonly tickHz: number;
  /** How the player describes a kind that its build has with other columns. */
  columnsOf(kind: number): Uint8Array | undefined;
  /** Most entities of a kind that the player may own. */
  maxOf(kind: number): number;
  readonly onState: SnapshotListener["onState"];
  /** States cannot be read because what they build on is not here, or is something else. */
  onLost(): void;
}

/** Places for entities that have ended for the room but not yet in what is on its way. */
const SPARE_ENTITIES = 8;
/** Drops after which what follows cannot be read either. */
const lost: ReadonlySet<DropReason> = new Set(["no-baseline", "unknown-entity", "queue-full"]);

/** Reads the states of one player's own entities: a stream for each kind, coded as differences from what was read. */
export class CodedStates implements SnapshotListener {
  readonly tickHz: number;
  readonly #options: CodedStatesOptions;
  readonly #plans = new Map<number, StatePlan>();
  readonly #readers = new Map<number, SnapshotReader>();

  constructor(options: CodedStatesOptions) {
    this.#options = options;
    this.tickHz = options.tickHz;
  }

  /** How states of a kind lie in bytes. */
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

  /** A reason where the body was dropped. */
  read(body: Uint8Array, tick: number): DropReason | undefined {
    const kind = body[0] ?? -1;
    const reader = this.#readers.get(kind) ?? this.#newReader(kind);
    if (!reader) return "bad-message";
    const reason = reader.read(body.subarray(1), tick, this);
    // Entities have ended that were never here: all that follow are whole.
    if (reason === "queue-full") this.#readers.delete(kind);
    if (reason !== undefined && lost.has(reason)) this.#options.onLost();
    return reason;
  }

  /** An entity is no more: its number may become another one's. */
  end(localId: number): void {
    for (const reader of this.#readers.values()) reader.end(localId);
  }

  /** The page that sent them is no more. */
  clear(): void {
    this.#readers.clear();
    this.#plans.clear();
  }

  /** @internal */
  onState(...news: Parameters<SnapshotListener["onState"]>): void {
    this.#options.onState(...news);
  }

  /** @internal Players say it by `disown`. */
  onRemoved(): void {
    // An entity that its player no longer sees goes when the player confirms that.
  }

  /** @internal */
  onDesync(id: number): void {
    for (const reader of this.#readers.values()) reader.forget(id);
    this.#options.onLost();
  }

  #newReader(kind: number): SnapshotReader | undefined {
    const most = this.#options.maxOf(kind);
    if (most === 0) return undefined;
    const reader = new SnapshotReader({
      plans: [this.planOf(kind)],
      historyTicks: limits.historyTicks,
      maxEntities: most + SPARE_ENTITIES,
    });
    this.#readers.set(kind, reader);
    return reader;
  }
}
