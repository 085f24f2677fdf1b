import { CloseCode, type TrafficClassName } from "@paceline/protocol";
import type { Link, LinkFilter } from "../link.js";
import type { PathLink } from "../path-link.js";
import type { Scheduler } from "../scheduler.js";

export interface StripeFilterOptions {
  readonly scheduler: Scheduler;
  /** The socket for everything but states and inputs. It carries those too while it is alone. */
  readonly first: PathLink;
  /**
   * States have no room if all sockets together hold this many bytes, which is no more than one socket would.
   * Default 4096.
   */
  readonly highWaterBytes?: number;
  /** Called when another number of sockets is open. */
  onStripes?(): void;
}

const DEFAULT_HIGH_WATER_BYTES = 4096;
/** Silence of the first socket after which it counts as dead if another one receives packets, ms. */
const SILENCE_MS = 5000;

/**
 * Filter of an ordered link that spreads its states and inputs over further links of the same session. They
 * alternate, so that a lost segment delays only every second or third of them, and the newest wins at the
 * receiver. All other packets use the first link, in its order.
 *
 * Each state goes over one socket only, so that there are no more packets than on one socket. The stripes live
 * as long as the first link.
 */
export class StripeFilter implements LinkFilter {
  readonly #options: StripeFilterOptions;
  readonly #first: PathLink;
  readonly #stripes: Link[] = [];
  #turn = 0;
  #heardAtMs: number;

  /** Adds itself to the first link's filters. */
  constructor(options: StripeFilterOptions) {
    this.#options = options;
    this.#first = options.first;
    this.#heardAtMs = options.scheduler.nowMs();
    this.#first.filters.push(this);
  }

  /** Number of links beside the first one, also those that are not open yet. */
  get count(): number {
    return this.#stripes.length;
  }

  get queuedBytes(): number {
    let bytes = 0;
    for (const stripe of this.#stripes) bytes += stripe.queuedBytes;
    return bytes;
  }

  /** Adds a link to the same session, which ends together with the first. */
  add(stripe: Link): void {
    const first = this.#first;
    if (first.state === "closed") return stripe.close(CloseCode.left, "the first link has ended");
    this.#stripes.push(stripe);
    stripe.start({
      onOpen: () => this.#changed(),
      onPacket: (packet) => this.#received(packet),
      onClose: () => {
        this.#stripes.splice(this.#stripes.indexOf(stripe), 1);
        this.#changed();
      },
      onRoom: () => first.drained(),
    });
  }

  /** Closes all links but the first. */
  closeStripes(reason: string): void {
    for (const stripe of this.#stripes) stripe.close(CloseCode.left, reason);
  }

  hasRoom(trafficClass: TrafficClassName): boolean {
    const { highWaterBytes = DEFAULT_HIGH_WATER_BYTES } = this.#options;
    return !this.#alternates(trafficClass) || this.#first.queuedBytes < highWaterBytes;
  }

  otherLink(trafficClass: TrafficClassName): Link | undefined {
    return this.#alternates(trafficClass) ? this.#nextStripe() : undefined;
  }

  receive(packet: Uint8Array, pass: (packet: Uint8Array) => void): void {
    this.#heardAtMs = this.#options.scheduler.nowMs();
    pass(packet);
  }

  end(tell: () => void): void {
    this.close();
    tell();
  }

  close(): void {
    this.closeStripes("the first link has ended");
  }

  /** A stripe that receives packets shows that the path works, so a silent first link is dead. */
  #received(packet: Uint8Array): void {
    const { scheduler } = this.#options;
    const first = this.#first;
    if (first.state === "open" && scheduler.nowMs() - this.#heardAtMs > SILENCE_MS)
      return first.close(CloseCode.timeout, "its first socket is silent");
    if (first.countReceived(packet.length)) first.received(packet, []);
  }

  #changed(): void {
    const open = this.#openStripes().length;
    this.#first.width = 1 + open;
    this.#options.onStripes?.();
  }

  #alternates(trafficClass: TrafficClassName): boolean {
    const isAlternating = trafficClass === "state" || trafficClass === "input";
    return isAlternating && this.#first.state === "open" && this.#first.width > 1;
  }

  #openStripes(): Link[] {
    return this.#stripes.filter(({ state }) => state === "open");
  }

  /** Returns the next link that holds nothing, or the next one; undefined for the first link. */
  #nextStripe(): Link | undefined {
    const links: (Link | undefined)[] = [undefined, ...this.#openStripes()];
    const next = (this.#turn + 1) % links.length;
    const inTurn = [...links.slice(next), ...links.slice(0, next)];
    const firstBytes = this.#first.queuedBytes - this.queuedBytes;
    const link = inTurn.find((each) => (each ? each.queuedBytes : firstBytes) === 0) ?? inTurn[0];
    this.#turn = links.indexOf(link);
    return link;
  }
}
