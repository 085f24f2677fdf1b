import type { TrafficClassName } from "@paceline/protocol";
import type { LinkCounters } from "./link.js";
import type { Cancel, Scheduler } from "./scheduler.js";

export interface SendQueueOptions {
  readonly scheduler: Scheduler;
  readonly counters: LinkCounters;
  /** Gives the bytes to the path. May throw: the packet then counts as dropped. `taken` may be called when it has sent them. */
  write(packet: Uint8Array, taken: () => void): void;
  /** Bytes that the path has taken but not sent yet (`bufferedAmount`). */
  bufferedBytes(): number;
  /** More waits than the limit: the receiver is too slow; the owner closes the link. */
  onOverflow(): void;
  readonly limits?: Partial<SendQueueLimits>;
  /** The path always calls `taken`: it need not be asked all the time. Default: false. */
  readonly tellsWhenTaken?: boolean;
}

export interface SendQueueLimits {
  /** Nothing more is written while the path holds this many bytes: what is unsent stays replaceable here. */
  readonly highWaterBytes: number;
  /** Commands, references and bulk that may wait here. */
  readonly commandBytes: number;
  /** States and events without a key that may wait here; beyond it the oldest are dropped. */
  readonly loosePackets: number;
  readonly eventLifetimeMs: number;
  /** How often a path that does not tell is asked whether it has room, while anything waits. */
  readonly pollMs: number;
}

export const sendQueueDefaults: SendQueueLimits = {
  highWaterBytes: 4096,
  commandBytes: 1_048_576,
  loosePackets: 64,
  eventLifetimeMs: 1500,
  pollMs: 8,
};

/** A path that tells is asked all the same: what fills it may not have come from here, as the pongs of a WebSocket. */
const SELDOM_MS = 250;

interface Loose {
  readonly packet: Uint8Array;
  readonly expiresAtMs: number;
}

/**
 * The queue in front of a path that may be busy. The path itself (a socket, a data channel) never gets more than
 * it can send soon, since what it has taken can be neither replaced nor dropped any more: an "unreliable" data
 * channel, too, sends everything that was queued in it, however stale.
 */
export class SendQueue {
  readonly #options: SendQueueOptions;
  readonly #limits: SendQueueLimits;
  readonly #commands: Uint8Array[] = [];
  /** Yields to everything else. */
  readonly #bulk: Uint8Array[] = [];
  readonly #states = new Map<number, Uint8Array>();
  readonly #loose: Loose[] = [];
  readonly #drain = (): void => this.drain();
  #commandBytes = 0;
  #stopPolling: Cancel | undefined;

  constructor(options: SendQueueOptions) {
    this.#options = options;
    this.#limits = { ...sendQueueDefaults, ...options.limits };
  }

  get queuedBytes(): number {
    let bytes = this.#commandBytes;
    if (this.#states.size + this.#loose.length === 0) return bytes;
    for (const packet of this.#states.values()) bytes += packet.length;
    for (const { packet } of this.#loose) bytes += packet.length;
    return bytes;
  }

  /** Nothing waits. */
  get isEmpty(): boolean {
    const reliable = this.#commands.length + this.#bulk.length;
    return reliable === 0 && this.#states.size === 0 && this.#loose.length === 0;
  }

  send(trafficClass: TrafficClassName, packet: Uint8Array, key: number, lifetimeMs?: number): void {
    if (this.isEmpty && this.#hasRoom()) return this.#write(packet);
    this.#enqueue(trafficClass, packet, key, lifetimeMs);
    const pollMs = this.#options.tellsWhenTaken ? SELDOM_MS : this.#limits.pollMs;
    this.#stopPolling ??= this.#options.scheduler.every(pollMs, this.#drain);
  }

  /** Writes what the path takes now; the owner calls it when the path says that it has room. */
  drain(): void {
    while (!this.isEmpty && this.#hasRoom()) {
      const packet = this.#next();
      if (packet) this.#write(packet);
    }
    if (this.isEmpty) this.#endPolling();
  }

  /** Forgets what waits (the path is gone). */
  clear(): void {
    const waiting = this.#commands.length + this.#bulk.length + this.#states.size + this.#loose.length;
    this.#options.counters.packetsDropped += waiting;
    this.#commands.length = 0;
    this.#bulk.length = 0;
    this.#commandBytes = 0;
    this.#states.clear();
    this.#loose.length = 0;
    this.#endPolling();
  }

  #enqueue(
    trafficClass: TrafficClassName,
    packet: Uint8Array,
    key: number,
    lifetimeMs = this.#limits.eventLifetimeMs,
  ): void {
    switch (trafficClass) {
      case "command":
      case "reference":
      case "bulk":
        (trafficClass === "bulk" ? this.#bulk : this.#commands).push(packet);
        this.#commandBytes += packet.length;
        if (this.#commandBytes > this.#limits.commandBytes) this.#options.onOverflow();
        return;
      case "state":
      case "input":
        if (key > 0) return this.#replace(packet, key);
        return this.#enqueueLoose(packet, Number.POSITIVE_INFINITY);
      case "event":
        return this.#enqueueLoose(packet, this.#options.scheduler.nowMs() + lifetimeMs);
    }
  }

  /** Takes the older one's place in the line: whoever waits longest stays first. */
  #replace(packet: Uint8Array, key: number): void {
    if (this.#states.has(key)) this.#options.counters.statesReplaced += 1;
    this.#states.set(key, packet);
  }

  #enqueueLoose(packet: Uint8Array, expiresAtMs: number): void {
    this.#loose.push({ packet, expiresAtMs });
    if (this.#loose.length > this.#limits.loosePackets) {
      this.#loose.shift();
      this.#options.counters.packetsDropped += 1;
    }
  }

  /** Commands first, then events, then states, bulk when nothing else waits; undefined where the next one was stale. */
  #next(): Uint8Array | undefined {
    const command = this.#commands.shift();
    if (command) {
      this.#commandBytes -= command.length;
      return command;
    }
    const loose = this.#loose.shift();
    if (loose) {
      if (loose.expiresAtMs >= this.#options.scheduler.nowMs()) return loose.packet;
      this.#options.counters.packetsDropped += 1;
      return undefined;
    }
    const [key, state] = this.#states.entries().next().value ?? [];
    if (key !== undefined) {
      this.#states.delete(key);
      return state;
    }
    const bulk = this.#bulk.shift();
    this.#commandBytes -= bulk?.length ?? 0;
    return bulk;
  }

  #write(packet: Uint8Array): void {
    try {
      this.#options.write(packet, this.#drain);
    } catch {
      this.#options.counters.packetsDropped += 1;
      return;
    }
    this.#options.counters.packetsSent += 1;
    this.#options.counters.bytesSent += packet.length;
  }

  #hasRoom(): boolean {
    return this.#options.bufferedBytes() < this.#limits.highWaterBytes;
  }

  #endPolling(): void {
    this.#stopPolling?.();
    this.#stopPolling = undefined;
  }
}
