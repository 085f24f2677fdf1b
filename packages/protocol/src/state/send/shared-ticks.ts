import type { EntityRows } from "../plan/entity-rows.js";

/** Limit of receiver states that are kept apart; a new one replaces the oldest. */
const MAX_STATES = 16;
const STEPS = 256;

/** The packets of a tick for one receiver. They serve every receiver that has acknowledged the same. */
export interface SharedTick {
  /** The sender's number for what its receiver has acknowledged. */
  state: number;
  /** The sender that wrote it, for comparison. */
  sender: object | undefined;
  /** The writer's positions before and after: packets that it wrote since have replaced older ones. */
  epoch: number;
  from: number;
  maxBytes: number;
  checksumTicks: number;
  /** The entities that were due, as they were given and as they were sent. */
  readonly given: EntityRows[];
  readonly sent: EntityRows[];
  count: number;
  readonly bodies: Uint8Array[];
  readonly tags: number[];
  /** The number of entities sent up to and with each packet. */
  readonly ends: number[];
  packets: number;
}

/**
 * Numbers what receivers have acknowledged: the same number, the same acknowledgements. Who acknowledges the same
 * packet from the same state gets to the same state, so that comparing two receivers is comparing two numbers.
 */
class AcknowledgedStates {
  #last = 0;
  readonly #from = new Float64Array(STEPS);
  readonly #packet = new Float64Array(STEPS);
  readonly #to = new Float64Array(STEPS);

  /** A state that nobody else is in. */
  fresh(): number {
    return ++this.#last;
  }

  /** The state that follows by acknowledging a packet; `packet` 0: one that nobody else got. */
  after(state: number, packet: number): number {
    if (packet === 0) return this.fresh();
    const slot = (state * 5 + packet) % STEPS;
    if (this.#from[slot] === state && this.#packet[slot] === packet) return this.#to[slot]!;
    this.#from[slot] = state;
    this.#packet[slot] = packet;
    return (this.#to[slot] = this.fresh());
  }
}

/** The packets of the current tick, by the receivers' states. Reuses its memory from tick to tick. */
export class SharedTicks {
  readonly states = new AcknowledgedStates();
  readonly #ticks: SharedTick[] = [];
  #count = 0;
  #epoch = -1;

  /** The packets that were written for a receiver in the same state, if the same entities were due. */
  find(
    epoch: number,
    like: Pick<SharedTick, "state" | "maxBytes" | "checksumTicks">,
    given: readonly EntityRows[],
  ) {
    if (epoch !== this.#epoch) return undefined;
    const held = Math.min(this.#count, MAX_STATES);
    for (let index = 0; index < held; index++) {
      const tick = this.#ticks[index]!;
      const isLike =
        tick.state === like.state &&
        tick.maxBytes === like.maxBytes &&
        tick.checksumTicks === like.checksumTicks &&
        isSame(tick, given);
      if (isLike) return tick;
    }
    return undefined;
  }

  /** Finds another tick with the same packets. */
  twin(tick: SharedTick): SharedTick | undefined {
    const held = Math.min(this.#count, MAX_STATES);
    for (let index = 0; index < held; index++) {
      const other = this.#ticks[index]!;
      if (other !== tick && other.packets === tick.packets && hasTags(other, tick)) return other;
    }
    return undefined;
  }

  /** Makes room for a tick's packets. */
  start(epoch: number): SharedTick {
    if (epoch !== this.#epoch) {
      this.#epoch = epoch;
      this.#count = 0;
    }
    const index = this.#count++ % MAX_STATES;
    const tick = (this.#ticks[index] ??= newTick());
    tick.epoch = epoch;
    tick.packets = 0;
    tick.count = 0;
    return tick;
  }
}

function isSame({ given: due, count }: SharedTick, given: readonly EntityRows[]): boolean {
  if (given.length !== count) return false;
  for (let index = 0; index < count; index++) if (due[index] !== given[index]) return false;
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
    epoch: 0,
    from: 0,
    maxBytes: 0,
    checksumTicks: 0,
    given: [],
    sent: [],
    count: 0,
    bodies: [],
    tags: [],
    ends: [],
    packets: 0,
  };
}
