import { TokenBucket, type Clock } from "@paceline/transport";
import type { RelayLimits } from "./relay-limits.js";
import { networksOf, type Network } from "./network-address.js";

/**
 * Upper bound of remembered addresses. Beyond it the oldest is forgotten, unless a session holds its bucket.
 */
const MAX_ADDRESSES = 10_000;
/**
 * Known buckets that each new bucket checks. More than one, so that the table shrinks while new addresses
 * come.
 */
const SWEPT_PER_NEW = 4;

interface AddressBucket {
  readonly bucket: TokenBucket;
  /**
   * Number of sessions that hold the bucket. A held bucket is never forgotten: a second one would double the
   * rate.
   */
  holders: number;
}

/**
 * A token bucket for each network address, and wider ones for the networks around it. A full bucket equals a
 * new one, so it is soon forgotten. A flood from many addresses therefore keeps no memory.
 */
export class AddressBuckets {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #buckets = new Map<string, AddressBucket>();
  #sweep: MapIterator<[string, AddressBucket]>;

  constructor(perSecond: number, burst: number, clock: Clock) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
    this.#sweep = this.#buckets.entries();
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Takes `times` tokens. Returns false if the address or a network around it has too few. */
  take(address: string, times = 1): boolean {
    const nowMs = this.#clock.nowMs();
    // The widest network goes first: if its rate is used up, no bucket is made for the address.
    return networksOf(address).every((network) => this.#of(network, nowMs).bucket.take(times, nowMs));
  }

  /**
   * Returns the buckets of an address and of the networks around it, for a session that takes from them
   * often. {@link release} gives them back.
   */
  hold(address: string): readonly TokenBucket[] {
    const nowMs = this.#clock.nowMs();
    return networksOf(address).map((network) => {
      const held = this.#of(network, nowMs);
      held.holders += 1;
      return held.bucket;
    });
  }

  /** Gives back the buckets that {@link hold} returned for the address. */
  release(address: string): void {
    for (const { name } of networksOf(address)) {
      const held = this.#buckets.get(name);
      if (held) held.holders -= 1;
    }
  }

  #of({ name, factor }: Network, nowMs: number): AddressBucket {
    const known = this.#buckets.get(name);
    if (known) return known;
    this.#forgetFull(nowMs);
    if (this.#buckets.size >= MAX_ADDRESSES) this.#forgetOldest();
    const made = {
      bucket: new TokenBucket(this.#perSecond * factor, this.#burst * factor, nowMs),
      holders: 0,
    };
    this.#buckets.set(name, made);
    return made;
  }

  /** Checks the next few buckets in turn and forgets those that are full and not held. */
  #forgetFull(nowMs: number): void {
    for (let looked = 0; looked < SWEPT_PER_NEW; looked++) {
      const next = this.#sweep.next();
      if (next.done) {
        this.#sweep = this.#buckets.entries();
        return;
      }
      const [name, { bucket, holders }] = next.value;
      if (holders === 0 && bucket.isFull(nowMs)) this.#buckets.delete(name);
    }
  }

  #forgetOldest(): void {
    for (const [name, { holders }] of this.#buckets) {
      if (holders > 0) continue;
      this.#buckets.delete(name);
      return;
    }
  }
}

/** Returns the buckets for a rate and a burst of a relay's limits. */
export function addressBuckets(
  { limits, scheduler }: { readonly limits: RelayLimits; readonly scheduler: Clock },
  rate: keyof RelayLimits,
  burst: keyof RelayLimits,
): AddressBuckets {
  const seconds = rate.includes("PerMinute") ? 60 : 1;
  return new AddressBuckets(limits[rate] / seconds, limits[burst], scheduler);
}
