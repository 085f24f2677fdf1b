import { CloseCode, type TrafficClassName } from "@paceline/protocol";
import type { Link, LinkFilter } from "../link.js";
import type { Cancel, Scheduler } from "../scheduler.js";
import { Bottleneck } from "./bottleneck.js";
import { type NetworkSettings, PERFECT_NETWORK } from "./network.js";
import { networkSettings } from "./network-settings.js";
import { NetworkSimulator, type NetworkSimulatorOptions } from "./network-simulator.js";
import { type PacketFate, fateOf, fateOfReceived } from "./packet-order.js";
import { type Random, seededRandom } from "./random.js";
import { dataChannels } from "../webrtc/channels.js";

/** Options of a {@link SimulatedLine}. */
export interface SimulatedLineOptions {
  readonly scheduler: Scheduler;
  /** Source of all random numbers. Default: one with a new seed. */
  readonly random?: Random;
}

/** Interval between checks if a released line still holds packets, ms. */
const DRAIN_POLL_MS = 50;
/** A line that holds this many unsent bytes has no room. */
const HIGH_WATER_BYTES = 4096;
const MAX_INCOMING_BYTES = 1_048_576;
/** Lifetime of an event, ms: that of a data channel whose plan names no other. */
const EVENT_LIFETIME_MS = dataChannels.event.init.maxPacketLifeTime;

/**
 * A worse network that a device simulates. All packets of all its links pass it, in both directions, and
 * share its rate. Packets of an ordered link are never lost but late, and so are all packets after them, as
 * in a TCP stream. An unreliable link loses states and inputs alone; it repeats events within their lifetime, and
 * all else until it arrives.
 */
export class SimulatedLine {
  readonly #scheduler: Scheduler;
  readonly #random: Random;
  readonly #out: Bottleneck;
  readonly #in: Bottleneck;
  readonly #filters = new Map<Link, SimulatedFilter>();
  /** Present properties of each direction. */
  settings: NetworkSettings = PERFECT_NETWORK;

  constructor({ scheduler, random }: SimulatedLineOptions) {
    this.#scheduler = scheduler;
    this.#random = random ?? seededRandom(crypto.getRandomValues(new Uint32Array(1))[0]!);
    this.#out = new Bottleneck(scheduler, () => this.settings);
    this.#in = new Bottleneck(scheduler, () => this.settings);
  }

  /** Sends all further packets of this link through the line. */
  take(link: Link): void {
    const held = this.#filters.get(link);
    if (held) return held.hold();
    const filter = new SimulatedFilter({
      scheduler: this.#scheduler,
      link,
      out: this.#out,
      in: this.#in,
      random: this.#random,
      settings: this.settings,
      onEnd: () => this.#filters.delete(link),
    });
    this.#filters.set(link, filter);
    link.filters?.push(filter);
  }

  /**
   * Sets the properties of each direction of every link. Those not given are as on a perfect path.
   *
   * @throws ConfigError that names the first setting outside its range. Nothing changes then.
   */
  change(settings: Partial<NetworkSettings>): void {
    this.settings = networkSettings(settings);
    for (const filter of this.#filters.values()) filter.change(this.settings);
  }

  /** Releases all links, each as soon as its packets on their way have arrived in order. */
  release(): void {
    this.change({});
    for (const filter of this.#filters.values()) filter.release();
  }
}

interface FilterOptions {
  readonly scheduler: Scheduler;
  readonly link: Link;
  readonly out: Bottleneck;
  readonly in: Bottleneck;
  readonly random: Random;
  readonly settings: NetworkSettings;
  onEnd(): void;
}

type Paths = Readonly<Record<PacketFate, NetworkSimulator>>;

/** One link's filter: in each direction a stream, or a path for each fate of packets if the link is unreliable. */
class SimulatedFilter implements LinkFilter {
  readonly #options: FilterOptions;
  readonly #in: Paths;
  readonly #out: Paths;
  readonly #paths: ReadonlySet<NetworkSimulator>;
  #settings: NetworkSettings;
  #stopDraining: Cancel | undefined;

  constructor(options: FilterOptions) {
    this.#options = options;
    this.#settings = options.settings;
    this.#in = this.#pathsOver(options.in);
    this.#out = this.#pathsOver(options.out);
    this.#paths = new Set([...Object.values(this.#in), ...Object.values(this.#out)]);
  }

  get queuedBytes(): number {
    let bytes = 0;
    for (const path of new Set(Object.values(this.#out))) bytes += path.queuedBytes;
    return bytes;
  }

  hasRoom(trafficClass: TrafficClassName): boolean {
    return this.#out[fateOf(trafficClass)].queuedBytes < HIGH_WATER_BYTES;
  }

  send(trafficClass: TrafficClassName, packet: Uint8Array, pass: (packet: Uint8Array) => void): void {
    this.#out[fateOf(trafficClass)].send(packet, pass);
  }

  receive(packet: Uint8Array, pass: (packet: Uint8Array) => void): void {
    const { link } = this.#options;
    // A real network would slow the sender down. This one can only close the link.
    if (this.#in.ordered.queuedBytes > MAX_INCOMING_BYTES) {
      return link.close(CloseCode.tooSlow, "the simulated line is too slow");
    }
    this.#in[link.isUnreliable ? fateOfReceived(packet) : "ordered"].send(packet, pass);
  }

  end(tell: () => void): void {
    this.#options.scheduler.after(this.#settings.delayMs, tell);
  }

  change(settings: NetworkSettings): void {
    this.#settings = settings;
    for (const path of this.#paths) path.change(settings);
  }

  /**
   * Removes the filter once its last packets have arrived: packets that bypass it would overtake those of a
   * stream.
   */
  release(): void {
    this.#stopDraining ??= this.#options.scheduler.every(DRAIN_POLL_MS, () => {
      const isDrained = [...this.#paths].every(({ counters }) => counters.sent === settled(counters));
      if (!isDrained || this.queuedBytes > 0) return;
      this.#end();
      const { filters } = this.#options.link;
      filters?.splice(filters.indexOf(this), 1);
    });
  }

  /** Cancels the release. */
  hold(): void {
    this.#stopDraining?.();
    this.#stopDraining = undefined;
  }

  close(): void {
    for (const path of this.#paths) path.close();
    this.#end();
  }

  #end(): void {
    this.hold();
    this.#options.onEnd();
  }

  #pathsOver(bottleneck: Bottleneck): Paths {
    const { scheduler, random, settings, link } = this.#options;
    const path = (terms: Partial<NetworkSimulatorOptions>): NetworkSimulator =>
      new NetworkSimulator({ scheduler, random, settings, bottleneck, deliver: () => undefined, ...terms });
    const ordered = path({ ordered: true, reliable: true });
    if (!link.isUnreliable) return { ordered, event: ordered, loose: ordered };
    const event = path({ reliable: true, lifetimeMs: EVENT_LIFETIME_MS });
    return { ordered, event, loose: path({}) };
  }
}

function settled({
  delivered,
  duplicated,
  lost,
  droppedQueue,
  droppedMtu,
}: NetworkSimulator["counters"]): number {
  return delivered - duplicated + lost + droppedQueue + droppedMtu;
}
