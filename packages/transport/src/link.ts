import type { TrafficClassName } from "@paceline/protocol";

/** Kinds of links by how they carry packets. `relayed`: through the server to another participant. */
export type LinkKind = "websocket" | "webrtc" | "relayed" | "memory";

export type LinkState = "connecting" | "open" | "closed";

/** Reason of a closed link: a code of {@link CloseCode} or of WebSocket, and a text for people. */
export interface LinkClose {
  readonly code: number;
  readonly reason: string;
}

/**
 * Calls of a link to its owner. Never two at once, and none from inside `send` or `close`, except `onRoom`.
 */
export interface LinkHandlers {
  onOpen(): void;
  /**
   * Called with a packet, which belongs to the receiver: the link does not touch it again. `link` is the
   * started one.
   */
  onPacket(packet: Uint8Array, link: Link): void;
  /** Called once, as the last call. */
  onClose(close: LinkClose): void;
  /** Called when the path has sent some of its queued bytes, perhaps from inside `send`. */
  onRoom?(): void;
}

/**
 * Stands between a link and its owner. It passes each packet on at once, later or never, by calling `pass`.
 */
export interface LinkFilter {
  /** Bytes of outgoing packets that the filter holds. */
  readonly queuedBytes: number;
  hasRoom(trafficClass: TrafficClassName): boolean;
  /** Returns another link for the next packet of this class, or undefined for this one. */
  otherLink?(trafficClass: TrafficClassName): Link | undefined;
  /** Left out by a filter that changes no outgoing packets. */
  send?(trafficClass: TrafficClassName, packet: Uint8Array, pass: (packet: Uint8Array) => void): void;
  receive(packet: Uint8Array, pass: (packet: Uint8Array) => void): void;
  /**
   * Called when the path has ended by itself. The filter reports it to the owner by `tell`, after all earlier
   * packets.
   */
  end(tell: () => void): void;
  /** Called when the owner has closed the link. Drops all packets that the filter holds. */
  close(): void;
}

/** Watches all packets of a link for the owner of its path. Its methods never throw. */
export interface LinkGuard {
  /** Called before a packet goes to the path. */
  sending(trafficClass: TrafficClassName, packetBytes: number): void;
  /** Returns true if a received packet may pass. */
  admits(packetBytes: number): boolean;
  /** Called with a packet that arrives after the end of the link, and is dropped. */
  late?(packet: Uint8Array): void;
  /** Called once, when either side has closed the link. */
  closing(code: number): void;
  /** Called with an error that a handler of the link's owner has thrown. */
  failed(error: unknown): void;
}

/**
 * One live path to one remote. Its state goes from connecting over open to closed, never back. A link has no
 * queue: each packet goes at once to the socket or channel, which can neither replace nor drop it. Its owner,
 * an {@link Outbox}, therefore calls `hasRoom` first. While it is open, it delivers commands and bulk in
 * order, and references completely, perhaps in another order. An unreliable link may lose states, inputs and
 * events.
 *
 * `send` and `close` never throw. They never call back before they return, except `onRoom`.
 */
export interface Link {
  readonly kind: LinkKind;
  readonly state: LinkState;
  /** True if a lost state does not delay the states after it. */
  readonly isUnreliable: boolean;
  readonly counters: Readonly<LinkCounters>;
  /** Bytes that the path has taken and not sent yet. */
  readonly queuedBytes: number;
  /**
   * Number of sockets that take states in turn. With more than one, states overtake each other. Default 1.
   */
  readonly width?: number;
  /**
   * Filters between the path and the owner, nearest to the path first. Only tests and simulations set any.
   * The list may change while the link runs: a filter that is taken out passes on the packets that it holds.
   * Not every link takes filters.
   */
  readonly filters?: LinkFilter[];
  /**
   * Set before the start. Without a guard, errors of handlers go to the path's event. Not every link takes
   * one.
   */
  guard?: LinkGuard | undefined;
  /** True if the path calls {@link LinkHandlers.onRoom}, so that its owner need not poll `hasRoom`. */
  readonly reportsRoom?: boolean;

  /**
   * Sets the handlers. The owner calls it once, and after a handover the next owner does. A link that opened before
   * reports it after this call.
   */
  start(handlers: LinkHandlers): void;

  /** Returns true if the path has so few unsent bytes of this class that the next packet would leave soon. */
  hasRoom(trafficClass: TrafficClassName): boolean;

  /**
   * Gives the packet to the path, even if the path has no room. The caller must not change the packet any
   * more. Only links whose packets travel in packets of another session use `key` and `lifetimeMs`: {@link
   * Outbox.forward}.
   */
  send(trafficClass: TrafficClassName, packet: Uint8Array, key?: number, lifetimeMs?: number): void;

  close(code: number, reason: string): void;
}

export function newLinkCounters() {
  return {
    packetsSent: 0,
    bytesSent: 0,
    packetsReceived: 0,
    bytesReceived: 0,
    /** Packets that the path refused, and all sends after the close. */
    packetsDropped: 0,
  };
}

/** Traffic counters of a link since its start. */
type LinkCounters = ReturnType<typeof newLinkCounters>;

/** Returns true if packets of this class may be lost, so that an unreliable link may carry them. */
export function mayBeLost(trafficClass: TrafficClassName): trafficClass is "state" | "input" | "event" {
  return trafficClass === "state" || trafficClass === "input" || trafficClass === "event";
}

/**
 * Returns true if the link loses packets that may be lost. A relayed link does not: the relay drops a packet
 * only when a newer one replaces it.
 */
export function losesPackets({ isUnreliable, kind }: Link): boolean {
  return isUnreliable && kind !== "relayed";
}
