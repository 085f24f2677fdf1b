import { ConfigError } from "@paceline/protocol";
import type { Scheduler } from "../scheduler.js";
import { Bottleneck } from "./bottleneck.js";
import { NetworkCounters, type LossModel, type NetworkSettings } from "./network.js";
import { networkSettings } from "./network-settings.js";
import type { Random } from "./random.js";

/** Options of a {@link NetworkSimulator}. */
export interface NetworkSimulatorOptions {
  readonly scheduler: Scheduler;
  /** Source of all random numbers. The simulator forks its own streams from it at the start. */
  readonly random: Random;
  /** Called with every packet that arrives, from a timer of the scheduler. The bytes belong to the callee. */
  readonly deliver: (packet: Uint8Array) => void;
  /** Differences from a perfect path. */
  readonly settings?: Partial<NetworkSettings>;
  /** Packets arrive in the order of sending, as in a TCP stream. Default false. */
  readonly ordered?: boolean;
  /** The path repeats lost packets until they arrive, and none arrives twice. Default false. */
  readonly reliable?: boolean;
  /** Reliable only: round-trip time of the path, ms. Default twice `delayMs`. */
  readonly rttMs?: () => number;
  /**
   * Reliable only: time (ms) beyond one round trip until the sender notices a loss. Default 100. If messages
   * have a constant interval, it is one interval for a sender that needs one later acknowledgement (RACK, RFC
   * 8985), three intervals for one that counts three, and 200 ms for one that waits for Linux' retransmission
   * timer.
   */
  readonly retransmitMs?: number;
  /**
   * Reliable and not ordered only: time after which a lost packet is not repeated any more, ms. Default: no
   * limit.
   */
  readonly lifetimeMs?: number;
  /**
   * The bottleneck, if several directions share one. Default: one of its own, with the limits of the
   * settings.
   */
  readonly bottleneck?: Bottleneck;
}

type Deliver = (packet: Uint8Array) => void;

interface Flight {
  readonly number: number;
  readonly packet: Uint8Array;
  readonly deliver: Deliver;
  readonly sentAtMs: number;
}

const DEFAULT_RETRANSMIT_MS = 100;
const MAX_BACKOFF_DOUBLINGS = 8;

/**
 * One direction of a network path in virtual (or real) time. A packet passes, in this order: the MTU, the
 * queue and the rate of the bottleneck, loss, delay with jitter, duplication. The same seed, settings and
 * calls give the same arrivals.
 *
 * A reliable path models a stream. It repeats a lost segment after `max(RTT + retransmitMs, 1.25 RTT)`, and
 * doubles this time with every further loss of the packet, like a retransmission timer. If the path is
 * ordered too, all later packets wait for it at the receiver. It never drops at the queue, because the
 * sender's socket buffer holds the rest: `queuedBytes`. Repeats use no capacity, and there is no congestion
 * window.
 */
export class NetworkSimulator {
  readonly #options: NetworkSimulatorOptions;
  readonly #counters = new NetworkCounters();
  readonly #bottleneck: Bottleneck;
  readonly #isLost: ReturnType<typeof lossProcess>;
  readonly #jitter: Random;
  readonly #duplication: Random;
  readonly #reordering: Random;
  readonly #inOrder = inOrder<Flight>((flight) => this.#arrive(flight));
  settings: NetworkSettings;
  #isClosed = false;
  /** Bytes of this direction that wait at the bottleneck or are being sent. */
  queuedBytes = 0;
  #newestArrived = -1;
  #lastArrivalAtMs = -Infinity;
  readonly #line: (() => void)[] = [];

  constructor(options: NetworkSimulatorOptions) {
    const retransmitMs = options.retransmitMs ?? DEFAULT_RETRANSMIT_MS;
    if (!(retransmitMs > 0 && retransmitMs < Infinity)) {
      // With 0, a path that loses everything would repeat without end at one instant.
      throw new ConfigError("retransmitMs", retransmitMs, "more than 0 ms");
    }
    this.#options = options;
    this.settings = networkSettings(options.settings ?? {});
    this.#bottleneck = options.bottleneck ?? new Bottleneck(options.scheduler, () => this.settings);
    // One stream per purpose: a changed jitter does not change which packets are lost.
    this.#isLost = lossProcess(options.random.fork());
    this.#jitter = options.random.fork();
    this.#duplication = options.random.fork();
    this.#reordering = options.random.fork();
  }

  /** Counters of the packets, updated live. */
  get counters(): Readonly<NetworkCounters> {
    return this.#counters;
  }

  /**
   * Changes settings for later packets. Packets that have left the bottleneck keep their delay.
   *
   * @throws ConfigError that names the first setting outside its range. No setting changes then.
   */
  change(changes: Partial<NetworkSettings>): void {
    this.settings = networkSettings(changes, this.settings);
  }

  /**
   * Sends a packet. Copies the bytes at once, and delivers nothing before this call has returned.
   *
   * @param deliver called with this packet instead of the path's own receiver
   */
  send(packet: Uint8Array, deliver: Deliver = this.#options.deliver): void {
    if (this.#isClosed) return;
    const isReliable = this.#options.reliable === true;
    const bytes = packet.length;
    const number = this.#counters.sent++;
    this.#counters.sentBytes += bytes;
    if (!isReliable && bytes > this.settings.mtuBytes) {
      this.#counters.droppedMtu += 1;
    } else if (!isReliable && !this.#bottleneck.hasRoomFor(bytes)) {
      this.#counters.droppedQueue += 1;
    } else {
      const sentAtMs = this.#options.scheduler.nowMs();
      const flight = { number, packet: packet.slice(), deliver, sentAtMs };
      this.queuedBytes += bytes;
      this.#bottleneck.push(bytes, () => {
        this.queuedBytes -= bytes;
        if (isReliable) this.#transmit(flight);
        else this.#sendOverPath(flight);
      });
    }
  }

  /** Cuts the path: packets on their way never arrive, and later ones are ignored. */
  close(): void {
    this.#isClosed = true;
  }

  #sendOverPath(flight: Flight): void {
    const isTwice = this.#duplication.bool(this.settings.duplicateRatio);
    const delayMs = this.#drawDelayMs();
    if (this.#isLost(this.settings.loss)) {
      this.#counters.lost += 1;
      return;
    }
    this.#arriveAfter(delayMs, () => this.#arrive(flight));
    if (!isTwice) return;
    // Copies the bytes now, because the receiver of the first may write into them.
    const copy = { ...flight, packet: flight.packet.slice() };
    this.#arriveAfter(this.#drawJitteredMs(this.#duplication), () => this.#arriveDuplicate(copy));
  }

  /** Sends all segments of a packet and repeats lost ones. The packet arrives with its last segment. */
  #transmit(flight: Flight): void {
    this.#transmitSegments(flight, Math.max(1, Math.ceil(flight.packet.length / this.settings.mtuBytes)), 0);
  }

  #transmitSegments(flight: Flight, segments: number, repeats: number): void {
    const delayMs = this.#drawDelayMs();
    let lost = 0;
    for (let segment = 0; segment < segments; segment += 1) {
      if (this.#isLost(this.settings.loss)) lost += 1;
    }
    if (lost > 0) {
      const waitMs = this.#noticeLossMs() * 2 ** Math.min(repeats, MAX_BACKOFF_DOUBLINGS);
      this.#options.scheduler.after(waitMs, () => {
        if (this.#isClosed) return;
        const { scheduler, lifetimeMs = Infinity } = this.#options;
        if (scheduler.nowMs() - flight.sentAtMs > lifetimeMs) {
          this.#counters.lost += 1;
          return;
        }
        this.#counters.retransmitted += lost;
        this.#transmitSegments(flight, lost, repeats + 1);
      });
    } else if (this.#options.ordered === true) {
      this.#options.scheduler.after(delayMs, () => this.#inOrder(flight.number, flight));
    } else {
      this.#options.scheduler.after(delayMs, () => this.#arrive(flight));
    }
  }

  #noticeLossMs(): number {
    const rttMs = this.#options.rttMs?.() ?? 2 * this.settings.delayMs;
    return Math.max(rttMs + (this.#options.retransmitMs ?? DEFAULT_RETRANSMIT_MS), 1.25 * rttMs);
  }

  #drawDelayMs(): number {
    const holdMs = this.#reordering.bool(this.settings.reorderRatio) ? this.settings.reorderHoldMs : 0;
    return this.#drawJitteredMs(this.#jitter) + holdMs;
  }

  #drawJitteredMs(random: Random): number {
    return Math.max(0, random.normal(this.settings.delayMs, this.settings.jitterMs));
  }

  #arriveAfter(delayMs: number, arrive: () => void): void {
    const { scheduler, ordered } = this.#options;
    if (ordered !== true) {
      scheduler.after(delayMs, arrive);
      return;
    }
    const nowMs = scheduler.nowMs();
    this.#lastArrivalAtMs = Math.max(this.#lastArrivalAtMs, nowMs + delayMs);
    // Each timer takes the first waiting packet, not its own: rounding could swap timers of one instant.
    this.#line.push(arrive);
    scheduler.after(this.#lastArrivalAtMs - nowMs, () => this.#line.shift()?.());
  }

  #arrive(flight: Flight): void {
    if (this.#isClosed) return;
    if (flight.number < this.#newestArrived) this.#counters.reordered += 1;
    this.#newestArrived = Math.max(this.#newestArrived, flight.number);
    this.#deliver(flight);
  }

  #arriveDuplicate(copy: Flight): void {
    if (this.#isClosed) return;
    this.#counters.duplicated += 1;
    this.#deliver(copy);
  }

  #deliver({ packet, deliver }: Flight): void {
    this.#counters.delivered += 1;
    this.#counters.deliveredBytes += packet.length;
    deliver(packet);
  }
}

/**
 * Returns a function that decides for each packet whether it is lost. It knows whether a path that is good and
 * bad by turns is bad now. Always draws two values, so that a change of model shifts no others.
 */
function lossProcess(random: Random): (model: LossModel) => boolean {
  let isBad = false;
  return (model) => {
    const turn = random.next();
    const fate = random.next();
    if (model.kind !== "gilbert-elliott") {
      isBad = false;
      return model.kind === "uniform" && fate < model.ratio;
    }
    isBad = isBad ? turn >= model.pBadToGood : turn < model.pGoodToBad;
    return fate < (isBad ? model.lossInBad : model.lossInGood);
  };
}

/**
 * Returns a function that takes numbered items (each number once, from 0 on) and releases them in the order of
 * their numbers.
 */
function inOrder<Item>(release: (item: Item) => void): (number: number, item: Item) => void {
  const early = new Map<number, Item>();
  let nextNumber = 0;
  return (number, item) => {
    early.set(number, item);
    for (let next = early.get(nextNumber); next !== undefined; next = early.get(nextNumber)) {
      early.delete(nextNumber);
      nextNumber += 1;
      release(next);
    }
  };
}
