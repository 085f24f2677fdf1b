import type { MessageKind, TrafficClassName } from "@paceline/protocol";

/** Bytes that wait for their packet, or a whole packet that waits. */
export interface Waiting {
  readonly trafficClass: TrafficClassName;
  /** Kind of a message for a packet of the session. Undefined for a whole packet. */
  readonly kind: MessageKind | undefined;
  readonly bytes: Uint8Array;
  /** True if the bytes are several messages of the kind, with their heads, for one packet. */
  readonly isSeries?: boolean;
  /** A later one with the same key replaces this one. 0: none does. */
  readonly key: number;
  readonly expiresAtMs: number;
  /** Number of a state whose arrival its owner follows. */
  readonly number: number | undefined;
  /** Tick of a state. Its content holds for no other one. */
  readonly tick: number | undefined;
}

const EVENT_LIFETIME_MS = 1500;
/** Limit of bytes without a key that wait in a class that may be lost: about 64 packets. */
const MAX_LOOSE_BYTES = 76_800;

/** Creates an entry of a queue. Only events have a lifetime. */
export function newWaiting(
  nowMs: number,
  trafficClass: TrafficClassName,
  kind: MessageKind | undefined,
  bytes: Uint8Array,
  lifetimeMs = EVENT_LIFETIME_MS,
): Waiting {
  const expiresAtMs = trafficClass === "event" ? nowMs + lifetimeMs : Infinity;
  return { trafficClass, kind, bytes, key: 0, expiresAtMs, number: undefined, tick: undefined };
}

/** Entries and bytes of several queues together. */
export interface QueueTotals {
  length: number;
  bytes: number;
}

/** Waiting messages of one class, in the order of their arrival. */
export class ClassQueue {
  /** Bytes of this class's share that other classes have sent while it waited. */
  creditBytes = 0;
  /**
   * Entries by key. An entry without a key has a negative number of its own. Created late, because mostly
   * nothing waits.
   */
  #waiting: Map<number, Waiting> | undefined;
  #bytes = 0;
  #looseBytes = 0;
  #loose = 0;
  readonly #totals: QueueTotals;

  /** @param totals counts the entries of this queue, too */
  constructor(totals: QueueTotals = { length: 0, bytes: 0 }) {
    this.#totals = totals;
  }

  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#waiting?.size ?? 0;
  }

  get first(): Waiting | undefined {
    return this.#waiting?.values().next().value;
  }

  /**
   * Adds an entry at the end, or in place of an older one with its key, whose position it keeps. Returns true
   * if it replaced one.
   */
  put(waiting: Waiting): boolean {
    const { key, bytes } = waiting;
    if (key === 0) {
      this.#looseBytes += bytes.length;
      this.#loose -= 1;
    }
    const all = (this.#waiting ??= new Map());
    const older = key === 0 ? undefined : all.get(key);
    this.#count(older ? 0 : 1, bytes.length - (older?.bytes.length ?? 0));
    all.set(key === 0 ? this.#loose : key, waiting);
    return older !== undefined;
  }

  shift(): void {
    for (const [at, { key, bytes }] of this.#waiting ?? []) {
      this.#waiting!.delete(at);
      this.#count(-1, -bytes.length);
      if (key === 0) this.#looseBytes -= bytes.length;
      return;
    }
  }

  /** Drops the oldest entries without a key beyond the limit. Returns their number. */
  trim(): number {
    let dropped = 0;
    for (const [at, { key, bytes }] of this.#waiting ?? []) {
      if (this.#looseBytes <= MAX_LOOSE_BYTES) break;
      if (key !== 0) continue;
      this.#waiting!.delete(at);
      this.#count(-1, -bytes.length);
      this.#looseBytes -= bytes.length;
      dropped += 1;
    }
    return dropped;
  }

  clear(): void {
    this.#count(-this.length, -this.#bytes);
    this.#waiting = undefined;
    this.#looseBytes = 0;
  }

  #count(entries: number, bytes: number): void {
    this.#bytes += bytes;
    this.#totals.length += entries;
    this.#totals.bytes += bytes;
  }
}
