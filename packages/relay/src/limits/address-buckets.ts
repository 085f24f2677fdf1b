import type { Clock } from "@paceline/transport";
import { networksOf, type Network } from "./network-address.js";
import { TokenBucket } from "./token-bucket.js";

/** Addresses that are remembered, those of live sessions apart; beyond it the oldest ones are forgotten. */
const MAX_ADDRESSES = 10_000;
/** Known buckets that each new one looks at: more than one, so that the table shrinks while addresses come. */
const SWEPT_PER_NEW = 4;

interface AddressBucket {
  readonly bucket: TokenBucket;
  /** Sessions that hold the bucket: while there are any, another bucket for the address would double its rate. */
  holders: number;
}

/**
 * A token bucket for every network address, and wider ones for the networks around it. A bucket that is full again says
 * no more than a new one: it is forgotten soon, so that a flood from many addresses does not keep memory.
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

  /** Whether the address may do it once more now, or so many times. */
  take(address: string, times = 1): boolean {
    const nowMs = this.#clock.nowMs();
    // The widest first: addresses of a network that has used up its rate are not even remembered.
    return networksOf(address).every((network) => this.#of(network, nowMs).bucket.take(times, nowMs));
  }

  /** The buckets of an address and the networks around it, for a session that takes from them often; {@link release} ends it. */
  hold(address: string): readonly TokenBucket[] {
    const nowMs = this.#clock.nowMs();
    return networksOf(address).map((network) => {
      const held = this.#of(network, nowMs);
      held.holders += 1;
      return held.bucket;
    });
  }

  /** A session that held the buckets of an address has ended. */
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

  /** Looks at the next few buckets, round and round. */
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
