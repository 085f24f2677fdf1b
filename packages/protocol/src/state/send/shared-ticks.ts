import type { EntityRows } from "../columns/entity-rows.js";
import { AcknowledgedStates } from "./acknowledged-states.js";

/** Limit of acknowledgement states kept per tick. A new one replaces the oldest. */
const MAX_STATES = 16;

/** The packets of a tick for one acknowledgement state. All receivers in that state can get them. */
export interface SharedTick {
  /** The acknowledgement state of the receivers: see {@link AcknowledgedStates}. */
  state: number;
  /** The sender that wrote the packets, for comparison. */
  sender: object | undefined;
  /**
   * The writer's tick, and its number of kept packets before these. Together they show whether newer packets
   * have replaced these.
   */
  from: number;
  maxBytes: number;
  checksumTicks: number;
  /** The due entities, in the caller's order and in the order of sending. */
  readonly due: EntityRows[];
  readonly sent: EntityRows[];
  count: number;
  readonly bodies: Uint8Array[];
  readonly tags: number[];
  /** Number of entities sent in all packets up to and including each one. */
  readonly ends: number[];
  packets: number;
}

/** The packets of the current tick, by acknowledgement state. Reuses its memory from tick to tick. */
export class SharedTicks {
  readonly states = new AcknowledgedStates();
  readonly #ticks: SharedTick[] = [];
  #count = 0;
  #epoch = -1;

  /** Finds the packets for a receiver in the same state, if the same entities were due. */
  find(
    epoch: number,
    settings: Pick<SharedTick, "state" | "maxBytes" | "checksumTicks">,
    entities: readonly EntityRows[],
  ) {
    if (epoch !== this.#epoch) return undefined;
    const held = Math.min(this.#count, MAX_STATES);
    for (let index = 0; index < held; index++) {
      const tick = this.#ticks[index]!;
      const isEqual =
        tick.state === settings.state &&
        tick.maxBytes === settings.maxBytes &&
        tick.checksumTicks === settings.checksumTicks &&
        isSame(tick, entities);
      if (isEqual) return tick;
    }
    return undefined;
  }

  /** Finds another receiver's tick with exactly the same packets. */
  findEqual(tick: SharedTick): SharedTick | undefined {
    const held = Math.min(this.#count, MAX_STATES);
    for (let index = 0; index < held; index++) {
      const other = this.#ticks[index]!;
      if (other !== tick && other.packets === tick.packets && hasTags(other, tick)) return other;
    }
    return undefined;
  }

  /** Returns an empty record for a tick's packets. */
  start(epoch: number): SharedTick {
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      this.#count = 0;
    }
    const index = this.#count++ % MAX_STATES;
    const tick = (this.#ticks[index] ??= newTick());
    tick.packets = 0;
    tick.count = 0;
    return tick;
  }
}

function isSame({ due, count }: SharedTick, entities: readonly EntityRows[]): boolean {
  if (entities.length !== count) return false;
  for (let index = 0; index < count; index++) if (due[index] !== entities[index]) return false;
  return true;
}

function hasTags(tick: SharedTick, other: SharedTick): boolean {
  for (let index = 0; index < tick.packets; index++) {
    if (tick.tags[index] !== other.tags[index] || tick.tags[index] === 0) return false;
  }
  return true;
}

function newTick(): SharedTick {
  return {
    state: 0,
    sender: undefined,
    from: 0,
    maxBytes: 0,
    checksumTicks: 0,
    due: [],
    sent: [],
    count: 0,
    bodies: [],
    tags: [],
    ends: [],
    packets: 0,
  };
}
