import type { Clock } from "@paceline/transport";
import { networksOf, type Network } from "./network-address.js";
import { TokenBucket } from "./token-bucket.js";

/** Addresses that are remembered; beyond it full buckets are forgotten, then the oldest ones. */
const MAX_ADDRESSES = 10_000;

/** A token bucket for every network address, and wider ones for the networks around it. */
export class AddressBuckets {
  readonly #clock: Clock;
  readonly #perSecond: number;
  readonly #burst: number;
  readonly #buckets = new Map<string, TokenBucket>();

  constructor(perSecond: number, burst: number, clock: Clock) {
    this.#clock = clock;
    this.#perSecond = perSecond;
    this.#burst = burst;
  }

  get size(): number {
    return this.#buckets.size;
  }

  /** Whether the address may do it once more now, or so many times. */
  take(address: string, times = 1): boolean {
    const nowMs = this.#clock.nowMs();
    // The widest first: addresses of a network that has used up its rate are not even remembered.
    return networksOf(address).every((network) => this.#bucketOf(network, nowMs).take(times, nowMs));
  }

  /** The buckets of an address and the networks around it, for somebody who takes from them often. */
  bucketsOf(address: string): readonly TokenBucket[] {
    const nowMs = this.#clock.nowMs();
    return networksOf(address).map((network) => this.#bucketOf(network, nowMs));
  }

  #bucketOf({ name, factor }: Network, nowMs: number): TokenBucket {
    const known = this.#buckets.get(name);
    if (known) return known;
    if (this.#buckets.size >= MAX_ADDRESSES) this.#forget(nowMs);
    const bucket = new TokenBucket(this.#perSecond * factor, this.#burst * factor, nowMs);
    this.#buckets.set(name, bucket);
    return bucket;
  }

  #forget(nowMs: number): void {
    for (const [network, bucket] of this.#buckets) {
      if (bucket.isFull(nowMs)) this.#buckets.delete(network);
    }
    for (const network of this.#buckets.keys()) {
      if (this.#buckets.size < MAX_ADDRESSES) return;
      this.#buckets.delete(network);
    }
  }
}
