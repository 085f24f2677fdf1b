import { CloseCode, MessageKind, type TrafficClassName } from "@paceline/protocol";
import { mayBeLost, type Link } from "../../link.js";
import type { ChannelPolicyOf, PlannedClass } from "../../profiles/plan.js";
import { ordinaryTraffic, type TrafficWeight } from "../../profiles/profile.js";
import type { Cancel, Scheduler } from "../../scheduler.js";
import type { ByteBudget } from "./byte-budget.js";
import { ClassQueue, newWaiting, type Waiting } from "./class-queue.js";

export interface OutboxOptions {
  readonly scheduler: Scheduler;
  /** The link that carries traffic of this class now. */
  linkFor(trafficClass: TrafficClassName): Link | undefined;
  /** The plan's policy of a class of traffic, asked at every message. Default: all leaves at once. */
  readonly channel?: ChannelPolicyOf | undefined;
  /** Uplink budget that sessions share. Default: the capacity of the paths. */
  readonly budget?: ByteBudget | undefined;
  /** Whole packets of commands or of bulk that may wait; with more the link is closed. Default 1 MiB. */
  readonly maxForwardedBytes?: number | undefined;
}

/** The fate of messages that did not leave. */
export interface OutboxCounters {
  /** States that a newer one replaced before they were sent. */
  statesReplaced: number;
  /** Stale events, what waited beyond the limits, and what waited when the last link ended. */
  packetsDropped: number;
}

/** Makes packets of what waits, and has commands and bulk that wait for room as well. */
export interface PacketSource {
  readonly counters: OutboxCounters;
  readonly heldBytes: number;
  nextBytes(name: PlannedClass): number | undefined;
  sendReliable(name: PlannedClass, link: Link): boolean;
  sendWaiting(link: Link, waiting: Waiting, queue: ClassQueue): void;
  mayStateGo(): boolean;
}

/** Polling period of a path without a drain event, while anything waits. */
const POLL_MS = 8;
/** A path that tells is asked all the same: what fills it may not have come from here, as the pongs of a WebSocket. */
const SELDOM_POLL_MS = 250;
const MAX_FORWARDED_BYTES = 1_048_576;
/** Limit of the share that a waiting class saves up. */
const MAX_CREDIT_BYTES = 32_768;

const CLASSES: readonly PlannedClass[] = ["command", "input", "event", "state", "bulk"];

/**
 * The one queue of a session that has links of its own: all that finds no room waits here, and nowhere else, since what a
 * path has taken can be neither replaced nor dropped any more. A state that waits gives its place to a newer one; an event
 * that waited too long is dropped. A message gets its packet in the moment in which it leaves.
 */
export class Outbox {
  readonly #options: OutboxOptions;
  readonly #source: PacketSource;
  readonly counters: OutboxCounters;
  readonly #queues: Readonly<Record<PlannedClass, ClassQueue>> = {
    command: new ClassQueue(),
    input: new ClassQueue(),
    event: new ClassQueue(),
    state: new ClassQueue(),
    bulk: new ClassQueue(),
  };
  readonly #pump = (): void => this.pump();
  /** Commands of the session itself and whole packets take turns. */
  #isOwnTurn = false;
  #isPumping = false;
  /** Classes that may not send in this turn, whether there is room or not. */
  readonly #held = new Set<PlannedClass>();
  /** Classes that wait and have room: they share what is sent, also while they are held. */
  readonly #candidates = new Set<PlannedClass>();
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
    const { command, input, event, state, bulk } = this.#queues;
    return command.bytes + input.bytes + event.bytes + state.bytes + bulk.bytes;
  }

  /** Whether a state waits. */
  get hasStates(): boolean {
    return this.#queues.state.length > 0;
  }

  /** Events that wait: whoever adds some pumps. */
  get events(): ClassQueue {
    return this.#queues.event;
  }

  /**
   * Takes a whole packet, of another session or for many receivers: the caller must not change it any more. One that
   * waits is replaced by a later one with the same `key`; 0, the default, replaces none. An event that could not leave
   * within `lifetimeMs` is dropped. Without a link it is dropped and counted.
   */
  forward(trafficClass: TrafficClassName, packet: Uint8Array, key = 0, lifetimeMs?: number): void {
    const link = this.#options.linkFor(trafficClass);
    if (link?.state !== "open") {
      this.counters.packetsDropped += 1;
    } else if (this.mayLeave(link, trafficClass)) {
      this.spent(link, packet);
      link.send(trafficClass, packet, key, lifetimeMs);
    } else {
      const name = trafficClass === "reference" ? "command" : trafficClass;
      const replaces = name === "state" || name === "input";
      const waiting = newWaiting(this.#nowMs(), trafficClass, undefined, packet, lifetimeMs);
      this.put(name, replaces ? { ...waiting, key } : waiting);
    }
  }

  /** Whether what comes may leave at once: it has room, and nothing waits. */
  mayLeave(link: Link, trafficClass: TrafficClassName): boolean {
    return this.#isIdle && this.hasRoom(link, trafficClass);
  }

  /** Whether the link has room and the budget allows a packet. What goes through another session is counted there. */
  hasRoom(link: Link, trafficClass: TrafficClassName): boolean {
    return (
      link.hasRoom(trafficClass) && (link.kind === "relayed" || this.#options.budget?.isOpen() !== false)
    );
  }

  /** Whether the budget allows a packet; if not, it calls when it does. */
  #isTurn({ kind }: Link): boolean {
    return kind === "relayed" || this.#options.budget?.admits(this.#pump) !== false;
  }

  /** The packet leaves: it is paid for. */
  spent({ kind }: Link, { length }: Uint8Array): void {
    this.#sentBytes += length;
    if (kind !== "relayed") this.#options.budget?.spent(length, this.#pump);
  }

  /** Something waits for room. */
  put(name: PlannedClass, waiting: Waiting): void {
    const queue = this.#queues[name];
    if (queue.put(waiting)) this.counters.statesReplaced += 1;
    if (mayBeLost(name)) this.counters.packetsDropped += queue.trim();
    else if (queue.bytes > (this.#options.maxForwardedBytes ?? MAX_FORWARDED_BYTES)) {
      this.#drop(queue);
      this.#options.linkFor(name)?.close(CloseCode.tooSlow, "does not take what is sent to it");
    }
    this.pump();
  }

  #drop(queue: ClassQueue): void {
    this.counters.packetsDropped += queue.length;
    queue.clear();
  }

  /** Sends nothing any more, and forgets what waits. */
  stop(): void {
    for (const name of CLASSES) this.#drop(this.#queues[name]);
    this.#options.budget?.leave(this.#pump);
    this.#poll(0);
  }

  /** Sends what the links have room for and the budget allows. */
  pump(): void {
    // A path may say that it has room while it is given a packet.
    if (this.#isPumping) return;
    if (this.queuedBytes + this.#source.heldBytes === 0) return this.#poll(0);
    this.#isPumping = true;
    this.#held.clear();
    let pollMs = 0;
    try {
      for (;;) {
        pollMs = this.#findCandidates();
        const name = this.#nextClass();
        const link = name && this.#linkOf(name);
        if (!name || !link || !this.#isTurn(link)) break;
        const before = this.#sentBytes;
        if (this.#sendNext(name, link)) this.#shareOut(name, this.#sentBytes - before);
        else this.#held.add(name);
      }
    } finally {
      this.#isPumping = false;
    }
    this.#poll(pollMs);
  }

  /** Finds the classes that wait and have room. Returns how often the links of the others are to be asked; 0: never. */
  #findCandidates(): number {
    let pollMs = 0;
    // To clear an empty set would allocate.
    if (this.#candidates.size > 0) this.#candidates.clear();
    for (const name of CLASSES) {
      const queue = this.#queues[name];
      if (!this.#hasMore(name)) {
        queue.creditBytes = 0;
        continue;
      }
      const link = this.#linkOf(name);
      if (link?.state !== "open") this.#drop(queue);
      else if (!link.hasRoom(queue.first?.trafficClass ?? name)) {
        pollMs = link.tellsRoom === true && pollMs !== POLL_MS ? SELDOM_POLL_MS : POLL_MS;
      } else this.#candidates.add(name);
    }
    return pollMs;
  }

  /** The class that the others have kept from its share the longest, or the one with the greatest priority. */
  #nextClass(): PlannedClass | undefined {
    let next: PlannedClass | undefined;
    let [mostCredit, mostPriority] = [0, 0];
    for (const name of this.#candidates) {
      if (this.#held.has(name)) continue;
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

  /** A class has sent so many bytes: all that wait get credit for their shares of them, and the class has used its own. */
  #shareOut(sender: PlannedClass, bytes: number): void {
    for (const name of this.#candidates) {
      const queue = this.#queues[name];
      const credit = queue.creditBytes + this.#weightOf(name).share * bytes - (name === sender ? bytes : 0);
      queue.creditBytes = Math.min(MAX_CREDIT_BYTES, Math.max(0, credit));
      if (this.#isOwed(name)) this.#held.delete(name);
    }
  }

  /** Whether the others have sent so much of the class's share that its next packet is due. */
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

  /** Bytes of the class's next message. */
  #nextBytes(name: PlannedClass): number {
    const { first } = this.#queues[name];
    return first ? first.bytes.length : (this.#source.nextBytes(name) ?? 0);
  }

  #hasMore(name: PlannedClass): boolean {
    return this.#queues[name].length > 0 || this.#source.nextBytes(name) !== undefined;
  }

  /** False where nothing may leave now, whether the link has room or not. */
  #sendNext(name: PlannedClass, link: Link): boolean {
    const queue = this.#queues[name];
    const { first } = queue;
    const isOwn = !first || (name === "command" && this.#isOwnTurn);
    const hasSent = isOwn && this.#source.sendReliable(name, link);
    this.#isOwnTurn = !hasSent || name !== "command";
    if (hasSent || !first) return hasSent;
    const nowMs = this.#nowMs();
    // If other classes fill the path, fewer states would not empty it: states get their share.
    const isGated = first.kind === MessageKind.state && first.key > 0 && !this.#isOwed(name);
    if (isGated && !this.#source.mayStateGo()) return false;
    queue.shift();
    if (first.expiresAtMs < nowMs) this.counters.packetsDropped += 1;
    else this.#source.sendWaiting(link, first, queue);
    return true;
  }

  /** Whether nothing waits: then what comes may leave at once. */
  get #isIdle(): boolean {
    const { command, input, event, state, bulk } = this.#queues;
    return command.length + input.length + event.length + state.length + bulk.length === 0;
  }

  /** Asks the path so often whether it has room; 0: nothing waits for that. */
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
