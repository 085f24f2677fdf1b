import type { TrafficClassName } from "@paceline/protocol";
import type { Link, LinkClose, LinkCounters, LinkHandlers, LinkKind, LinkState } from "./link.js";

/** Stands between a link and its owner: every packet in both directions goes through it, if and when it likes. */
export interface Passage {
  /** Bytes that wait in here on their way out. */
  readonly queuedBytes: number;
  hasRoom(trafficClass: TrafficClassName): boolean;
  send(trafficClass: TrafficClassName, packet: Uint8Array, key: number, lifetimeMs?: number): void;
  receive(packet: Uint8Array, deliver: (packet: Uint8Array) => void): void;
  /** The link has ended of itself; `tell` says so to the owner, after what came before it. */
  end(tell: () => void): void;
  /** Forgets all that is on its way. */
  close(): void;
}

/** A link in which a {@link Passage} can be put and from which it can be taken while it runs. Without one it adds nothing. */
export class InterposedLink implements Link {
  /** The link itself. */
  readonly inner: Link;
  #passage: Passage | undefined;
  #handlers: LinkHandlers | undefined;

  constructor(inner: Link) {
    this.inner = inner;
  }

  get kind(): LinkKind {
    return this.inner.kind;
  }

  get state(): LinkState {
    return this.inner.state;
  }

  get isUnreliable(): boolean {
    return this.inner.isUnreliable;
  }

  get counters(): Readonly<LinkCounters> {
    return this.inner.counters;
  }

  get tellsRoom(): boolean {
    return !this.#passage && this.inner.tellsRoom === true;
  }

  get queuedBytes(): number {
    return this.inner.queuedBytes + (this.#passage?.queuedBytes ?? 0);
  }

  /** Puts a passage in, in place of the one before; undefined: none. What is in that one may still come out of it. */
  interpose(passage: Passage | undefined): void {
    this.#passage = passage;
  }

  start(handlers: LinkHandlers): void {
    this.#handlers = handlers;
    const deliver = (packet: Uint8Array): void => this.#handlers?.onPacket(packet);
    this.inner.start({
      onOpen: () => this.#handlers?.onOpen(),
      onPacket: (packet) => (this.#passage ? this.#passage.receive(packet, deliver) : deliver(packet)),
      onClose: (close) => this.#ended(close),
      onRoom: () => this.#handlers?.onRoom?.(),
    });
  }

  hasRoom(trafficClass: TrafficClassName): boolean {
    return this.#passage?.hasRoom(trafficClass) !== false && this.inner.hasRoom(trafficClass);
  }

  send(trafficClass: TrafficClassName, packet: Uint8Array, key = 0, lifetimeMs?: number): void {
    if (this.#passage) this.#passage.send(trafficClass, packet, key, lifetimeMs);
    else this.inner.send(trafficClass, packet, key, lifetimeMs);
  }

  close(code: number, reason: string): void {
    this.#passage?.close();
    this.interpose(undefined);
    this.inner.close(code, reason);
  }

  #ended(close: LinkClose): void {
    const tell = (): void => {
      const handlers = this.#handlers;
      this.#handlers = undefined;
      this.#passage?.close();
      this.interpose(undefined);
      handlers?.onClose(close);
    };
    if (this.#passage) this.#passage.end(tell);
    else tell();
  }
}
