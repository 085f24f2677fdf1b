import {
  HISTORY_TICKS,
  SnapshotReader,
  type AuthorityInfo,
  type DropReason,
  type KindInfo,
  type StatePlan,
} from "@paceline/protocol";
import type { Clock } from "@paceline/transport";
import { ShownEntities, type ShownEntitiesOptions } from "../../entities/shown-entities.js";
import type { Peer } from "../../peers/peer.js";
import type { ViewPlan } from "../../plan/view-plan.js";

export interface HostedEntitiesOptions extends Pick<
  ShownEntitiesOptions,
  "rttMs" | "isOwn" | "onSpawn" | "onDespawn" | "onDesync" | "onDropped" | "onFault"
> {
  readonly info: AuthorityInfo;
  readonly clock: Clock;
  readonly myNumber: number;
  /** Returns the participant with that number, or the server. */
  peer(number: number): Peer;
  readonly view: ViewPlan;
}

const MAX_ENTITIES = 0x10000;

/** Entities of a room, read from its authority's states. */
export class HostedEntities {
  readonly store: ShownEntities;
  readonly #options: HostedEntitiesOptions;
  #reader: SnapshotReader;
  #plans: (StatePlan | undefined)[];

  constructor(options: HostedEntitiesOptions) {
    this.#options = options;
    const { info, myNumber } = options;
    this.store = new ShownEntities({
      ...options,
      hasRates: false,
      idOf: (id) => id,
      ownerOf: (owner) => (owner === myNumber ? null : options.peer(owner)),
      onDesync: (id) => {
        this.#reader.forget(id);
        options.onDesync(id);
      },
    });
    this.store.begin(info.tickHz);
    this.#plans = info.kinds.map(() => undefined);
    this.#reader = this.#newReader();
  }

  /** Kinds that the game uses and this side can read, as the authority describes them. */
  get kinds(): KindInfo[] {
    return this.#options.info.kinds.filter((_, kind) => this.#plans[kind]);
  }

  /** Sets the plan by which a kind's states are read. Drops all baselines, as the authority does. */
  use(kind: number, plan: StatePlan): void {
    this.#plans[kind] = plan;
    this.#reader = this.#newReader();
  }

  /** Reads the states of a tick. Returns the reason if they are dropped. */
  receive(body: Uint8Array, tick: number, cameAtMs = this.#options.clock.nowMs()): DropReason | undefined {
    this.store.cameAt(cameAtMs);
    const reason = this.#reader.read(body, tick, this.store);
    this.store.cameAt(undefined);
    if (reason === undefined) this.store.observe(tick, cameAtMs);
    return reason;
  }

  /** Returns the authority's tick at which entities are shown at a time. It may lie between two ticks. */
  shownTick(nowMs: number): number {
    const { view, info } = this.#options;
    const lagSeconds = this.store.neededDelayMs === undefined ? 0 : view.lagMs / 1000;
    return (this.store.secondsAt(nowMs) - lagSeconds) * info.tickHz;
  }

  #newReader(): SnapshotReader {
    const { info } = this.#options;
    // Every kind needs a plan, but the authority sends only the used kinds.
    const plans = this.#plans as readonly StatePlan[];
    const first = plans.find((plan) => plan !== undefined);
    const filled = first ? info.kinds.map((_, kind) => plans[kind] ?? first) : [];
    return new SnapshotReader({ plans: filled, historyTicks: HISTORY_TICKS, maxEntities: MAX_ENTITIES });
  }
}
