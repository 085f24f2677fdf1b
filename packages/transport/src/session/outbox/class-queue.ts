import type { MessageKind, TrafficClassName } from "@paceline/protocol";

/** Bytes that wait for their packet, or a whole packet. */
export interface Waiting {
  readonly trafficClass: TrafficClassName;
  /** Kind of the message in a packet of the session; undefined for a whole packet. */
  readonly kind: MessageKind | undefined;
  readonly bytes: Uint8Array;
  /** A later one with the same key takes its place; 0: none does. */
  readonly key: number;
  readonly expiresAtMs: number;
  /** The owner's number of a state. */
  readonly number: number;
}

const EVENT_LIFETIME_MS = 1500;
/** Bytes without a key that may wait in a lane whose class may be lost: about 64 packets. */
const MAX_LOOSE_BYTES = 76_800;

/** Only events have a lifetime. */
export function newWaiting(
  nowMs: number,
  trafficClass: TrafficClassName,
  kind: MessageKind | undefined,
  bytes: Uint8Array,
  lifetimeMs = EVENT_LIFETIME_MS,
): Waiting {
  const expiresAtMs = trafficClass === "event" ? nowMs + lifetimeMs : Number.POSITIVE_INFINITY;
  return { trafficClass, kind, bytes, key: 0, expiresAtMs, number: 0 };
}

/** Waiting messages of one class, in the order of their arrival. */
export class ClassQueue {
  /** Bytes that others have sent of this class's share while it waited. */
  creditBytes = 0;
  /** By key; what has none is under a negative number of its own. Made when something waits: mostly nothing ever does. */
  #waiting: Map<number, Waiting> | undefined;
  #bytes = 0;
  #looseBytes = 0;
  #loose = 0;

  get bytes(): number {
    return this.#bytes;
  }

  get length(): number {
    return this.#waiting?.size ?? 0;
  }

  get first(): Waiting | undefined {
    return this.#waiting?.values().next().value;
  }

  /** Adds it behind the others, or in place of an older one of its key: so who waits longest stays first. True there. */
  put(waiting: Waiting): boolean {
    const { key, bytes } = waiting;
    if (key === 0) {
      this.#looseBytes += bytes.length;
      this.#loose -= 1;
    }
    const all = (this.#waiting ??= new Map());
    const older = key === 0 ? undefined : all.get(key);
    this.#bytes += bytes.length - (older?.bytes.length ?? 0);
    all.set(key === 0 ? this.#loose : key, waiting);
    return older !== undefined;
  }

  shift(): void {
    for (const [at, { key, bytes }] of this.#waiting ?? []) {
      this.#waiting!.delete(at);
      this.#bytes -= bytes.length;
      if (key === 0) this.#looseBytes -= bytes.length;
      return;
    }
  }

  /** Drops the oldest ones without a key while more wait than may. Returns how many. */
  trim(): number {
    let dropped = 0;
    for (const [at, { key, bytes }] of this.#waiting ?? []) {
      if (this.#looseBytes <= MAX_LOOSE_BYTES) break;
      if (key !== 0) continue;
      this.#waiting!.delete(at);
      this.#bytes -= bytes.length;
      this.#looseBytes -= bytes.length;
      dropped += 1;
    }
    return dropped;
  }

  clear(): void {
    this.#waiting = undefined;
    this.#bytes = 0;
    this.#looseBytes = 0;
  }
}
