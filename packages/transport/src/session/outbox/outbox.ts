import { CloseCode, MessageKind, type DropReason, type TrafficClassName } from "@paceline/protocol";
import { mayBeLost, type Link } from "../../link.js";
import type { ChannelPolicyOf, PlannedClass } from "../../profiles/plan.js";
import { ordinaryTraffic, type TrafficWeight } from "../../profiles/profile.js";
import type { Cancel, Scheduler } from "../../scheduler.js";
import type { ByteBudget } from "./byte-budget.js";
import { ClassQueue, newWaiting, type QueueTotals, type Waiting } from "./class-queue.js";

export interface OutboxOptions {
  readonly scheduler: Scheduler;
  /** Returns the link that carries this class. */
  linkFor(trafficClass: TrafficClassName): Link | undefined;
  /** Returns the plan's policy of a traffic class. Called at every message. Default: all leaves at once. */
  readonly channel?: ChannelPolicyOf | undefined;
  /** Uplink budget that sessions share. Default: the capacity of the paths. */
  readonly budget?: ByteBudget | undefined;
  /**
   * Limit of bytes of whole packets of commands, or of bulk, that may wait. Beyond it the link is closed. Default
   * 1 MiB.
   */
  readonly maxForwardedBytes?: number | undefined;
  /** Called when a whole packet leaves over this link. */
  onWhole?(link: Link, trafficClass: TrafficClassName, packet: Uint8Array): void;
}

/** Counters of messages that did not leave. */
export interface OutboxCounters {
  /** States that a newer one replaced before they were sent. */
  statesReplaced: number;
  /** Stale events, messages beyond the limits, and messages that waited when the last link ended. */
  packetsDropped: number;
}

/** Writes packets from waiting messages. It also holds the commands and bulk that wait for room. */
export interface PacketSource {
  readonly counters: OutboxCounters;
  readonly heldBytes: number;
  nextBytes(name: PlannedClass): number | undefined;
  sendReliable(name: PlannedClass, link: Link): boolean;
  sendWaiting(link: Link, waiting: Waiting, queue: ClassQueue): void;
  /** Counts messages that are lost for this reason. */
  lost(reason: DropReason, times?: number): void;
  maySendState(): boolean;
}

/** Polling period for a path without a drain event while messages wait, ms. */
const POLL_MS = 8;
/**
 * Polling period for a path with a drain event, ms. Other traffic may fill it too, such as the pongs of a
 * WebSocket.
 */
const SLOW_POLL_MS = 250;
const MAX_FORWARDED_BYTES = 1_048_576;
/** Limit of bytes of its share that a waiting class saves. */
const MAX_CREDIT_BYTES = 32_768;

const CLASSES: readonly PlannedClass[] = ["command", "input", "event", "state", "bulk"];

/**
 * The queue of a session with links of its own. All messages without room wait here and nowhere else, because
 * a path can neither replace nor drop its packets. A newer state replaces a waiting one, and stale events are
 * dropped. A message gets its packet when it leaves.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #source: PacketSource;
  readonly counters: OutboxCounters;
  /** All queues together: asked at every packet, when mostly nothing waits. */
  readonly #totals: QueueTotals = { length: 0, bytes: 0 };
  readonly #queues: Readonly<Record<PlannedClass, ClassQueue>> = {
    command: new ClassQueue(this.#totals),
    input: new ClassQueue(this.#totals),
    event: new ClassQueue(this.#totals),
    state: new ClassQueue(this.#totals),
    bulk: new ClassQueue(this.#totals),
  };
  readonly #pump = (): void => this.pump();
  /** True if the session's own commands are next. They take turns with whole packets. */
  #isOwnNext = false;
  #isPumping = false;
  /** Classes that may not send in this round, even with room. Bit n: class n of CLASSES. */
  #held = 0;
  /** Classes that wait and have room. They share the sent bytes, even while they are held. */
  #candidates = 0;
  #sentBytes = 0;
  #pollMs = 0;
  #stopPolling: Cancel | undefined;

  constructor(options: OutboxOptions, source: PacketSource) {
    this.#options = options;
    this.#source = source;
    this.counters = source.counters;
  }

  /** Bytes that wait for room. */
  get queuedBytes(): number {
    return this.#totals.bytes;
  }

  get hasStates(): boolean {
    return this.#totals.length > 0 && this.#queues.state.length > 0;
  }

  /** Waiting events. A caller that adds some must call `pump`. */
  get events(): ClassQueue {
    return this.#queues.event;
  }

  /**
   * Takes a whole packet, of another session or for many receivers. The caller must not change it any more. A
   * later packet with the same `key` replaces a waiting one; 0, the default, replaces none. Drops an event
   * that cannot leave within `lifetimeMs`. Without a link, drops and counts the packet.
   */
  forward(trafficClass: TrafficClassName, packet: Uint8Array, key = 0, lifetimeMs?: number): void {
    const link = this.#options.linkFor(trafficClass);
    if (link?.state !== "open") {
      if (trafficClass === "event") this.#source.lost("not-routable");
      else this.counters.packetsDropped += 1;
    } else if (this.maySendNow(link, trafficClass)) {
      this.countSent(link, packet);
      this.#options.onWhole?.(link, trafficClass, packet);
      link.send(trafficClass, packet, key, lifetimeMs);
    } else {
      const name = trafficClass === "reference" ? "command" : trafficClass;
      const replaces = name === "state" || name === "input";
      const waiting = newWaiting(this.#nowMs(), trafficClass, undefined, packet, lifetimeMs);
      this.put(name, replaces ? { ...waiting, key } : waiting);
    }
  }

  /** Returns true if a message may leave at once: the link has room, and nothing waits. */
  maySendNow(link: Link, trafficClass: TrafficClassName): boolean {
    return this.#totals.length === 0 && this.hasRoom(link, trafficClass);
  }

  /**
   * Returns true if the link has room and the budget allows a packet. The session with the server pays for a
   * relayed one.
   */
  hasRoom(link: Link, trafficClass: TrafficClassName): boolean {
    return (
      link.hasRoom(trafficClass) && (link.kind === "relayed" || this.#options.budget?.isOpen() !== false)
    );
  }

  /** Returns true if the budget allows a packet. Otherwise the budget calls `pump` when it does. */
  #isTurn({ kind }: Link): boolean {
    return kind === "relayed" || this.#options.budget?.admits(this.#pump) !== false;
  }

  /** Takes note of a packet that leaves, and charges the budget. */
  countSent({ kind }: Link, { length }: Uint8Array): void {
    this.#sentBytes += length;
    if (kind !== "relayed") this.#options.budget?.countSent(length, this.#pump);
  }

  /** Adds an entry that waits for room. */
  put(name: PlannedClass, waiting: Waiting): void {
    const queue = this.#queues[name];
    if (queue.put(waiting)) this.counters.statesReplaced += 1;
    if (mayBeLost(name)) this.#source.lost("queue-full", queue.trim());
    else if (queue.bytes > (this.#options.maxForwardedBytes ?? MAX_FORWARDED_BYTES)) {
      this.#drop(queue);
      this.#options.linkFor(name)?.close(CloseCode.tooSlow, "does not take what is sent to it");
    }
    this.pump();
  }

  #drop(queue: ClassQueue): void {
    if (queue === this.events) this.#source.lost("not-routable", queue.length);
    else this.counters.packetsDropped += queue.length;
    queue.clear();
  }

  /** Drops all waiting messages and stops polling. */
  stop(): void {
    for (const name of CLASSES) this.#drop(this.#queues[name]);
    this.#options.budget?.cancel(this.#pump);
    this.#poll(0);
  }

  /** Sends as much as the links have room for and the budget allows. */
  pump(): void {
    // A path may report room while it is given a packet.
    if (this.#isPumping) return;
    if (this.queuedBytes + this.#source.heldBytes === 0) return this.#poll(0);
    this.#isPumping = true;
    this.#held = 0;
    let pollMs = 0;
    try {
      for (;;) {
        pollMs = this.#findCandidates();
        const name = this.#nextClass();
        const link = name && this.#linkOf(name);
        if (!name || !link || !this.#isTurn(link)) break;
        const before = this.#sentBytes;
        if (this.#sendNext(name, link)) this.#shareOut(name, this.#sentBytes - before);
        else this.#held |= bitOf(name);
      }
    } finally {
      this.#isPumping = false;
    }
    this.#poll(pollMs);
  }

  /**
   * Finds the classes that wait and have room. Returns the polling period for the links of the others, ms. 0:
   * none.
   */
  #findCandidates(): number {
    let pollMs = 0;
    this.#candidates = 0;
    for (const name of CLASSES) {
      const queue = this.#queues[name];
      if (!this.#hasMore(name)) {
        queue.creditBytes = 0;
        continue;
      }
      const link = this.#linkOf(name);
      if (link?.state !== "open") this.#drop(queue);
      else if (!link.hasRoom(queue.first?.trafficClass ?? name)) {
        pollMs = link.reportsRoom === true && pollMs !== POLL_MS ? SLOW_POLL_MS : POLL_MS;
      } else this.#candidates |= bitOf(name);
    }
    return pollMs;
  }

  /** Returns the class that the others owe most of its share, else the one with the greatest priority. */
  #nextClass(): PlannedClass | undefined {
    let next: PlannedClass | undefined;
    let [mostCredit, mostPriority] = [0, 0];
    for (const name of CLASSES) {
      if ((this.#candidates & ~this.#held & bitOf(name)) === 0) continue;
      const { creditBytes } = this.#queues[name];
      const isOwed = creditBytes > mostCredit && this.#isOwed(name);
      const { priority } = this.#weightOf(name);
      if (!isOwed && (mostCredit > 0 || priority <= mostPriority)) continue;
      next = name;
      mostPriority = priority;
      if (isOwed) mostCredit = creditBytes;
    }
    return next;
  }

  /** Divides sent bytes: all waiting classes get credit for their shares, and the sender loses the bytes. */
  #shareOut(sender: PlannedClass, bytes: number): void {
    for (const name of CLASSES) {
      if ((this.#candidates & bitOf(name)) === 0) continue;
      const queue = this.#queues[name];
      const credit = queue.creditBytes + this.#weightOf(name).share * bytes - (name === sender ? bytes : 0);
      queue.creditBytes = Math.min(MAX_CREDIT_BYTES, Math.max(0, credit));
      if (this.#isOwed(name)) this.#held &= ~bitOf(name);
    }
  }

  /** Returns true if the class's credit pays for its next packet. */
  #isOwed(name: PlannedClass): boolean {
    const { creditBytes } = this.#queues[name];
    return creditBytes > 0 && creditBytes >= this.#nextBytes(name);
  }

  #weightOf(name: PlannedClass): TrafficWeight {
    return this.#options.channel?.(name) ?? ordinaryTraffic[name];
  }

  #linkOf(name: PlannedClass): Link | undefined {
    return this.#options.linkFor(this.#queues[name].first?.trafficClass ?? name);
  }

  #nextBytes(name: PlannedClass): number {
    const { first } = this.#queues[name];
    return first ? first.bytes.length : (this.#source.nextBytes(name) ?? 0);
  }

  #hasMore(name: PlannedClass): boolean {
    return this.#queues[name].length > 0 || this.#source.nextBytes(name) !== undefined;
  }

  /** Sends the next message of a class. Returns false if nothing may leave now, even with room. */
  #sendNext(name: PlannedClass, link: Link): boolean {
    const queue = this.#queues[name];
    const { first } = queue;
    const isOwn = !first || (name === "command" && this.#isOwnNext);
    const hasSent = isOwn && this.#source.sendReliable(name, link);
    this.#isOwnNext = !hasSent || name !== "command";
    if (hasSent || !first) return hasSent;
    const nowMs = this.#nowMs();
    // A slow path holds states back, unless they have not had their share: then other classes fill the path,
    // and fewer states would not empty it.
    const isGated = first.kind === MessageKind.state && first.key > 0 && !this.#isOwed(name);
    if (isGated && !this.#source.maySendState()) return false;
    queue.shift();
    if (first.expiresAtMs < nowMs) this.#source.lost("outdated");
    else this.#source.sendWaiting(link, first, queue);
    return true;
  }

  /** Polls the path for room at this period, ms. 0 stops polling. */
  #poll(periodMs: number): void {
    if (periodMs === this.#pollMs) return;
    this.#stopPolling?.();
    this.#pollMs = periodMs;
    this.#stopPolling = periodMs > 0 ? this.#options.scheduler.every(periodMs, this.#pump) : undefined;
  }

  #nowMs(): number {
    return this.#options.scheduler.nowMs();
  }
}

function bitOf(name: PlannedClass): number {
  return 1 << CLASSES.indexOf(name);
}
