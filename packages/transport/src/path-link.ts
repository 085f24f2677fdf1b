import type { TrafficClassName } from "@paceline/protocol";
import {
  newLinkCounters,
  type Link,
  type LinkClose,
  type LinkFilter,
  type LinkGuard,
  type LinkHandlers,
  type LinkKind,
  type LinkState,
} from "./link.js";
import type { Scheduler } from "./scheduler.js";

/** Base of a link with a path of its own, such as a socket. It has the link's state, counters and filters. */
export abstract class PathLink implements Link {
  abstract readonly kind: LinkKind;
  abstract readonly isUnreliable: boolean;
  readonly counters = newLinkCounters();
  protected readonly scheduler: Scheduler;
  protected handlers: LinkHandlers | undefined;
  /** Number of sockets that states alternate over. 1: this one alone. */
  width = 1;
  readonly filters: LinkFilter[] = [];
  guard: LinkGuard | undefined;
  #state: LinkState = "connecting";

  constructor(scheduler: Scheduler) {
    this.scheduler = scheduler;
  }

  get state(): LinkState {
    return this.#state;
  }

  get queuedBytes(): number {
    let bytes = this.#state === "open" ? this.pathBytes() : 0;
    for (const filter of this.filters) bytes += filter.queuedBytes;
    return bytes;
  }

  start(handlers: LinkHandlers): void {
    const isHandover = this.handlers !== undefined;
    this.handlers = handlers;
    if (!isHandover) this.connect();
    else this.scheduler.after(0, () => this.#callHandler(() => handlers.onOpen()));
  }

  hasRoom(trafficClass: TrafficClassName): boolean {
    for (const filter of this.filters) if (!filter.hasRoom(trafficClass)) return false;
    return this.pathHasRoom(trafficClass);
  }

  /** @param filters those that the packet still has to pass, nearest to the path first */
  send(
    trafficClass: TrafficClassName,
    packet: Uint8Array,
    key = 0,
    lifetimeMs?: number,
    filters: readonly LinkFilter[] = this.filters,
  ): void {
    for (let at = filters.length - 1; at >= 0; at--) {
      const filter = filters[at]!;
      const other = filter.otherLink?.(trafficClass);
      if (other) {
        this.countSent(packet.length);
        return other.send(trafficClass, packet, key, lifetimeMs);
      }
      if (!filter.send) continue;
      const nearer = filters.slice(0, at);
      const pass = (passed: Uint8Array): void => this.send(trafficClass, passed, key, lifetimeMs, nearer);
      return filter.send(trafficClass, packet, pass);
    }
    try {
      if (this.#state === "open") {
        this.guard?.sending(trafficClass, packet.length);
        if (this.transmit(trafficClass, packet, key, lifetimeMs)) return this.countSent(packet.length);
      }
    } catch {
      // The path refused it.
    }
    this.counters.packetsDropped += 1;
  }

  close(code: number, reason: string): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#endFilters();
    this.shut({ code, reason });
    this.guard?.closing(code);
    this.scheduler.after(0, () => this.#report({ code, reason }));
  }

  /** Begins to connect. Called once. By default the path is open already. */
  protected connect(): void {
    this.scheduler.after(0, () => this.opened());
  }

  /** Returns the bytes that the open path has taken and not sent yet. */
  protected abstract pathBytes(): number;
  protected abstract pathHasRoom(trafficClass: TrafficClassName): boolean;
  /** Gives a packet to the open path. Returns false if the path refuses it. May throw. */
  protected abstract transmit(
    trafficClass: TrafficClassName,
    packet: Uint8Array,
    key: number,
    lifetimeMs?: number,
  ): boolean;
  /**
   * Called when the link is closed. `close` has the owner's words. It is undefined if the path ended by
   * itself.
   */
  protected shut(_close: LinkClose | undefined): void {}

  /** Reports that the path is open. */
  protected opened(): void {
    if (this.#state !== "connecting") return;
    this.#state = "open";
    this.#callHandler(() => this.handlers?.onOpen());
  }

  /** Reports that the path has sent some of its queued bytes. */
  drained(): void {
    this.#callHandler(() => this.handlers?.onRoom?.());
  }

  /**
   * Counts a sent packet. Also called for a packet that goes over the path together with others, without
   * {@link send}.
   */
  countSent(packetBytes: number): void {
    this.counters.packetsSent += 1;
    this.counters.bytesSent += packetBytes;
  }

  /** Counts a received packet. Returns false if the link is closed. */
  countReceived(packetBytes: number): boolean {
    if (this.#state === "closed") return false;
    this.counters.packetsReceived += 1;
    this.counters.bytesReceived += packetBytes;
    return true;
  }

  /**
   * Takes a packet that arrived over the path.
   * @param filters those that it still has to pass, nearest to the path first; default: all, and it is
   * counted here
   */
  received(packet: Uint8Array, filters?: readonly LinkFilter[]): void {
    const isNew = filters === undefined;
    if (isNew && !this.countReceived(packet.length)) return this.guard?.late?.(packet);
    if (isNew && this.guard?.admits(packet.length) === false) return;
    const left = filters ?? this.filters;
    const filter = left[0];
    if (filter) return filter.receive(packet, (passed) => this.received(passed, left.slice(1)));
    try {
      this.handlers?.onPacket(packet, this);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** Closes the link because the path has ended by itself. */
  protected ended(code: number, reason: string): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.shut(undefined);
    this.guard?.closing(code);
    const report = (): void => this.#report({ code, reason });
    const through = (tell: typeof report, filter: LinkFilter): typeof report => {
      return () => filter.end(tell);
    };
    this.filters.reduceRight(through, report)();
  }

  #endFilters(): void {
    for (const filter of this.filters.splice(0)) filter.close();
  }

  #report(close: LinkClose): void {
    const { handlers } = this;
    this.handlers = undefined;
    this.#endFilters();
    this.#callHandler(() => handlers?.onClose(close));
  }

  #callHandler(fn: () => void): void {
    try {
      fn();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (!this.guard) throw error;
    this.guard.failed(error);
  }
}
