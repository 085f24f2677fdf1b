import {
  HISTORY_TICKS,
  SnapshotReader,
  type AuthorityInfo,
  type DropReason,
  type KindInfo,
  limits,
  type StatePlan,
} from "@paceline/protocol";
import { RemoteLists, type RemoteListsOptions } from "../../entities/remote-lists.js";
import { ShownEntities, type ShownParts, type Source } from "../../entities/shown-entities.js";

const MAX_ENTITIES = 0x10000;

/** Entities of a room, read from its authority's states. */
export class HostedEntities {
  readonly store: ShownEntities;
  readonly lists: RemoteLists;
  readonly #parts: ShownParts;
  readonly #info: AuthorityInfo;
  #reader: SnapshotReader;
  #plans: (StatePlan | undefined)[];

  constructor(
    parts: ShownParts,
    info: AuthorityInfo,
    source: Omit<Source, "hasRates" | "idOf" | "lists" | "maxEntities"> & Pick<RemoteListsOptions, "ask">,
  ) {
    this.#parts = parts;
    this.#info = info;
    this.lists = new RemoteLists({
      maxBytes: limits.roomCollectionBytes,
      maxEntities: MAX_ENTITIES,
      definitionOf: (kind) => this.#plans[kind]?.definition,
      ask: source.ask,
    });
    this.store = new ShownEntities(parts, {
      ...source,
      hasRates: false,
      maxEntities: MAX_ENTITIES,
      lists: this.lists,
      idOf: (id) => id,
      onDesync: (id) => {
        this.#reader.forget(id);
        source.onDesync(id);
      },
    });
    this.store.begin(info.tickHz);
    this.#plans = info.kinds.map(() => undefined);
    this.#reader = this.#newReader();
  }

  /** Kinds that the game uses and this side can read, as the authority describes them. */
  get kinds(): KindInfo[] {
    return this.#info.kinds.filter((_, kind) => this.#plans[kind]);
  }

  /** Sets the plan by which a kind's states are read. Drops all baselines, as the authority does. */
  use(kind: number, plan: StatePlan): void {
    this.#plans[kind] = plan;
    this.#reader = this.#newReader();
    this.lists.review();
  }

  /**
   * Reads the states of a tick. Returns the reason if they are dropped. If not `isAgreed`, the authority may
   * send kinds that have no plan here: then only removals hold.
   */
  receive(
    body: Uint8Array,
    tick: number,
    isAgreed: boolean,
    cameAtMs = this.#parts.scheduler.nowMs(),
  ): DropReason | undefined {
    this.store.cameAt(cameAtMs);
    const reason = this.#reader.read(body, tick, this.store, isAgreed);
    this.store.cameAt(undefined);
    if (reason === undefined) this.store.observe(tick, cameAtMs);
    return reason;
  }

  /** Returns the authority's tick at which entities are shown at a time. It may lie between two ticks. */
  shownTick(nowMs: number): number {
    return this.store.shownSeconds(nowMs) * this.#info.tickHz;
  }

  #newReader(): SnapshotReader {
    // Every kind needs a plan, but the authority sends only the used kinds.
    const plans = this.#plans as readonly StatePlan[];
    const first = plans.find((plan) => plan !== undefined);
    const filled = first ? this.#info.kinds.map((_, kind) => plans[kind] ?? first) : [];
    return new SnapshotReader({ plans: filled, historyTicks: HISTORY_TICKS, maxEntities: MAX_ENTITIES });
  }
}
