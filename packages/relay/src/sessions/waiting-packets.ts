import type { Envelope } from "@paceline/protocol";
import {
  ClassQueue,
  mayBeLost,
  newWaiting,
  type Cancel,
  type QueueTotals,
  type Waiting,
} from "@paceline/transport";

/** Limits for one sender. Beyond them the oldest packet that may be lost is dropped, or else the new packet. */
const MAX_PACKETS = 256;
const MAX_BYTES = 131_072;
/** A queue's key is the packet's key and a hash of 32 bits of its targets together. */
const TARGET_HASHES = 2 ** 32;

/**
 * Envelopes of one sender that wait until its room may forward them. A newer state or input with the same key and
 * targets replaces a waiting one. Reliable packets go first, in order.
 */
export class WaitingPackets {
  readonly #totals: QueueTotals = { length: 0, bytes: 0 };
  readonly #reliable = new ClassQueue(this.#totals);
  readonly #others = new ClassQueue(this.#totals);
  /** Cancels the timer of the next attempt to forward. */
  cancel: Cancel | undefined;

  get length(): number {
    return this.#totals.length;
  }

  get bytes(): number {
    return this.#totals.bytes;
  }

  get hasReliable(): boolean {
    return this.#reliable.length > 0;
  }

  /** The envelope that is next. */
  get first(): Waiting | undefined {
    return this.#reliable.first ?? this.#others.first;
  }

  shift(): void {
    if (this.hasReliable) this.#reliable.shift();
    else this.#others.shift();
  }

  /** Adds a copy of an envelope. Returns how many packets were replaced, and how many were dropped. */
  add({ trafficClass, key, peers }: Envelope, received: Uint8Array, nowMs: number): Lost {
    const waiting = newWaiting(nowMs, trafficClass, undefined, received.slice());
    const isReliable = !mayBeLost(trafficClass);
    const { length, bytes } = this.#reliable;
    const isFull = length >= MAX_PACKETS || bytes + received.length > MAX_BYTES;
    // Only a sender whose link cannot be paused gets so far.
    if (isReliable && isFull) return { replaced: 0, dropped: 1 };
    const isKeyed = key !== 0 && (trafficClass === "state" || trafficClass === "input");
    const queueKey = isKeyed ? key * TARGET_HASHES + hashOf(peers) : 0;
    const queue = isReliable ? this.#reliable : this.#others;
    const replaced = queue.put({ ...waiting, key: queueKey }) ? 1 : 0;
    let dropped = 0;
    const isOver = (): boolean => this.length > MAX_PACKETS || this.bytes > MAX_BYTES;
    for (; isOver() && this.#others.length > 0; dropped++) this.#others.shift();
    return { replaced, dropped };
  }

  clear(): void {
    this.cancel?.();
    this.cancel = undefined;
    this.#reliable.clear();
    this.#others.clear();
  }
}

interface Lost {
  readonly replaced: number;
  readonly dropped: number;
}

function hashOf(peers: readonly number[]): number {
  // FNV-1a, 32 bits.
  return peers.reduce((hash, peer) => Math.imul(hash ^ peer, 0x01000193) >>> 0, 0x811c9dc5);
}
