import { CloseCode, type TrafficClassName } from "@paceline/protocol";
import {
  newLinkCounters,
  type Link,
  type LinkClose,
  type LinkCounters,
  type LinkHandlers,
  type LinkKind,
  type LinkState,
} from "../link.js";
import type { Scheduler } from "../scheduler.js";

export interface StripedLinkOptions {
  readonly scheduler: Scheduler;
  /** The socket for everything but states and inputs. It carries those too while it is alone. */
  readonly first: Link;
  /**
   * States have no room if all sockets together hold this many bytes, which is no more than one socket would.
   * Default 4096.
   */
  readonly highWaterBytes?: number;
  /**
   * Silence of the first socket after which it counts as dead if another one receives packets, ms. Default
   * 5000.
   */
  readonly silenceMs?: number;
}

const DEFAULT_HIGH_WATER_BYTES = 4096;
const DEFAULT_SILENCE_MS = 5000;

/**
 * Several ordered links of one session that act as one link. States and inputs alternate over them, so that a
 * lost segment delays only every second or third of them, and the newest wins at the receiver. All other
 * packets use the first link, in its order.
 *
 * Each state goes over one socket only, so that there are no more packets than on one socket. The link lives
 * as long as its first link.
 */
export class StripedLink implements Link {
  readonly #scheduler: Scheduler;
  readonly #first: Link;
  readonly #stripes: Link[] = [];
  readonly #silenceMs: number;
  readonly #pastCounters = newLinkCounters();
  readonly #highWaterBytes: number;
  #handlers: LinkHandlers | undefined;
  #turn = 0;
  /** Time of the first link's last packet, or of the first stripe's opening. */
  #heardAtMs = 0;
  #onStripes: (() => void) | undefined;

  constructor(options: StripedLinkOptions) {
    this.#scheduler = options.scheduler;
    this.#first = options.first;
    this.#silenceMs = options.silenceMs ?? DEFAULT_SILENCE_MS;
    this.#highWaterBytes = options.highWaterBytes ?? DEFAULT_HIGH_WATER_BYTES;
  }

  get kind(): LinkKind {
    return this.#first.kind;
  }

  get state(): LinkState {
    return this.#first.state;
  }

  get isUnreliable(): boolean {
    return this.#first.isUnreliable;
  }

  /** Number of links that states alternate over. 1: the first alone. */
  get width(): number {
    return this.#stripes.length === 0 ? 1 : 1 + this.#openStripes().length;
  }

  /** Number of links besides the first, with those that are not open yet. */
  get stripeCount(): number {
    return this.#stripes.length;
  }

  get queuedBytes(): number {
    let bytes = this.#first.queuedBytes;
    for (const stripe of this.#stripes) bytes += stripe.queuedBytes;
    return bytes;
  }

  get counters(): Readonly<LinkCounters> {
    const sum = { ...this.#pastCounters };
    for (const { counters } of [this.#first, ...this.#stripes]) addTo(sum, counters);
    return sum;
  }

  /** Sets a function that is called when a stripe opens or ends. */
  onStripes(fn: () => void): void {
    this.#onStripes = fn;
  }

  start(handlers: LinkHandlers): void {
    this.#handlers = handlers;
    this.#first.start({
      onOpen: () => handlers.onOpen(),
      onPacket: (packet) => {
        if (this.#stripes.length > 0) this.#heardAtMs = this.#scheduler.nowMs();
        handlers.onPacket(packet, this);
      },
      onClose: (close) => this.#firstClosed(close),
      onRoom: () => handlers.onRoom?.(),
    });
  }

  /** Adds a link of the same session, not started yet. States use it once it is open. */
  add(stripe: Link): void {
    if (this.state === "closed") return stripe.close(CloseCode.left, "the first link has ended");
    if (this.#stripes.length === 0) this.#heardAtMs = this.#scheduler.nowMs();
    this.#stripes.push(stripe);
    stripe.start({
      onOpen: () => this.#onStripes?.(),
      onPacket: (packet) => this.#receive(packet),
      onClose: () => this.#remove(stripe),
      onRoom: () => this.#handlers?.onRoom?.(),
    });
  }

  /** Ends all links except the first. */
  closeStripes(reason: string): void {
    for (const stripe of this.#stripes) stripe.close(CloseCode.left, reason);
  }

  get reportsRoom(): boolean {
    return this.#first.reportsRoom === true;
  }

  hasRoom(trafficClass: TrafficClassName): boolean {
    if (!this.#alternates(trafficClass)) return this.#first.hasRoom(trafficClass);
    return this.queuedBytes < this.#highWaterBytes;
  }

  send(trafficClass: TrafficClassName, packet: Uint8Array, key = 0, lifetimeMs?: number): void {
    const link = this.#alternates(trafficClass) ? this.#nextLink() : this.#first;
    link.send(trafficClass, packet, key, lifetimeMs);
  }

  close(code: number, reason: string): void {
    this.#end(code, reason);
    this.#first.close(code, reason);
  }

  #receive(packet: Uint8Array): void {
    const silentMs = this.#scheduler.nowMs() - this.#heardAtMs;
    if (this.state === "open" && silentMs > this.#silenceMs) {
      return this.close(CloseCode.timeout, "its first socket is silent");
    }
    this.#handlers?.onPacket(packet, this);
  }

  #firstClosed(close: LinkClose): void {
    this.#end(close.code, close.reason);
    const handlers = this.#handlers;
    this.#handlers = undefined;
    handlers?.onClose(close);
  }

  #end(code: number, reason: string): void {
    for (const stripe of this.#stripes) stripe.close(code, reason);
  }

  #remove(stripe: Link): void {
    this.#stripes.splice(this.#stripes.indexOf(stripe), 1);
    addTo(this.#pastCounters, stripe.counters);
    this.#onStripes?.();
  }

  #alternates(trafficClass: TrafficClassName): boolean {
    const isAlternating = trafficClass === "state" || trafficClass === "input";
    return isAlternating && this.state === "open" && this.width > 1;
  }

  #openStripes(): Link[] {
    return this.#stripes.filter(({ state }) => state === "open");
  }

  /** Returns the next link in turn. Skips a link that holds bytes if another one is free. */
  #nextLink(): Link {
    const links = [this.#first, ...this.#openStripes()];
    const next = (this.#turn + 1) % links.length;
    const inTurn = [...links.slice(next), ...links.slice(0, next)];
    const link = inTurn.find(({ queuedBytes }) => queuedBytes === 0) ?? inTurn[0]!;
    this.#turn = links.indexOf(link);
    return link;
  }
}

function addTo(sum: LinkCounters, counters: Readonly<LinkCounters>): void {
  for (const name of Object.keys(sum) as (keyof LinkCounters)[]) sum[name] += counters[name];
}
