import type { Clock } from "@paceline/transport";
import { TokenBucket } from "./token-bucket.js";

/** Addresses that are remembered; beyond it full buckets are forgotten, then the oldest ones. */
const MAX_ADDRESSES = 10_000;

/** A token bucket for every network address. */
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
    const network = networkOf(address);
    let bucket = this.#buckets.get(network);
    if (!bucket) {
      if (this.#buckets.size >= MAX_ADDRESSES) this.#forget(nowMs);
      bucket = new TokenBucket(this.#perSecond, this.#burst, nowMs);
      this.#buckets.set(network, bucket);
    }
    return bucket.take(times, nowMs);
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

/**
 * What one subscriber has: an IPv4 address, or the first 64 bits of an IPv6 address, since each household is given
 * 2^64 of those.
 */
export function networkOf(address: string): string {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address)?.[1];
  if (mapped !== undefined) return mapped;
  if (!address.includes(":")) return address;
  const [head = "", tail] = (address.split("%")[0] ?? "").toLowerCase().split("::", 2);
  const groups = head === "" ? [] : head.split(":");
  if (tail !== undefined) {
    const behind = tail === "" ? 0 : tail.split(":").length;
    while (groups.length + behind < 8) groups.push("0");
    if (behind > 0) groups.push(...tail.split(":"));
  }
  return groups
    .slice(0, 4)
    .map((group) => group.replace(/^0+(?=.)/, ""))
    .join(":");
}
