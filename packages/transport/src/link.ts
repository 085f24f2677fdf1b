import type { TrafficClassName } from "@paceline/protocol";

/** The ways a link can carry packets. `relayed` goes through the server to another participant. */
export type LinkKind = "websocket" | "webrtc" | "relayed" | "memory";

export type LinkState = "connecting" | "open" | "closed";

/** Why a link closed: a code of {@link CloseCode} or a WebSocket's own, and words for people. */
export interface LinkClose {
  readonly code: number;
  readonly reason: string;
}

/** Calls of a link to its owner. They come one at a time and never from inside `send` or `close`. */
export interface LinkHandlers {
  onOpen(): void;
  /** `packet` belongs to the receiver: the link does not touch it again. `link`: the one that was started. */
  onPacket(packet: Uint8Array, link: Link): void;
  /** Once, and last: no call follows it. */
  onClose(close: LinkClose): void;
  /** The path has sent some of what it had taken. May be called from inside `send`. */
  onRoom?(): void;
}

/** Stands in a link's way: every packet goes through it, if and when it likes. `pass` takes a packet on. */
export interface LinkFilter {
  /** Bytes that wait in here on their way out. */
  readonly queuedBytes: number;
  hasRoom(trafficClass: TrafficClassName): boolean;
  send(trafficClass: TrafficClassName, packet: Uint8Array, pass: (packet: Uint8Array) => void): void;
  receive(packet: Uint8Array, pass: (packet: Uint8Array) => void): void;
  /** The path has ended of itself; `tell` says so to the owner, after what came before it. */
  end(tell: () => void): void;
  /** The link has ended: forgets all that is on its way. */
  close(): void;
}

/** Stands by a link for the owner of its path: it hears of all that passes. Its methods never throw. */
export interface LinkGuard {
  /** A packet is about to be given to the path. */
  sending(trafficClass: TrafficClassName, packetBytes: number): void;
  /** Whether a packet that has come over the path may pass. */
  admits(packetBytes: number): boolean;
  /** The link has been closed, from this side or the other; called once. */
  closing(code: number): void;
  /** A handler of the link's owner has thrown this. */
  failed(error: unknown): void;
}

/** Traffic counters of a link since its start. */
export interface LinkCounters {
  packetsSent: number;
  bytesSent: number;
  packetsReceived: number;
  bytesReceived: number;
  /** Packets that the path refused, and anything after the close. */
  packetsDropped: number;
}

/**
 * One live path to one remote. Its life goes one way: connecting, open, closed. It has no queue: what it is given goes
 * to the socket or the channel at once, and can be neither replaced nor dropped there any more. So its owner, an
 * {@link Outbox}, asks first whether it has room. Commands, references and bulk arrive in order, each in one of its own,
 * as long as the link lives; states, inputs and events may be lost where the link is unreliable.
 *
 * `send` and `close` never throw, and but for `onRoom` never call back before they return.
 */
export interface Link {
  readonly kind: LinkKind;
  readonly state: LinkState;
  /** True where a lost state does not delay the states behind it. */
  readonly isUnreliable: boolean;
  readonly counters: Readonly<LinkCounters>;
  /** Bytes that the path has taken and not sent yet. */
  readonly queuedBytes: number;
  /** Sockets over which states go in turn: with more than one they overtake each other. Default 1. */
  readonly width?: number;
  /**
   * Filters between the path and the owner, nearest to the path first; empty but for tests and simulations. It may
   * change while the link runs: a filter that is taken out passes on what it held. Not every link takes filters.
   */
  readonly filters?: LinkFilter[];
  /** Set before the start. Without one, errors of handlers go to the path's event. Not every link takes a guard. */
  guard?: LinkGuard | undefined;
  /** Whether the path calls {@link LinkHandlers.onRoom}: it need not be asked all the time. */
  readonly tellsRoom?: boolean;

  /** Sets the handlers; called once, by the owner. A link that opened before reports it after this call. */
  start(handlers: LinkHandlers): void;

  /** Whether the path has so little of this class to send that the next packet would leave soon. */
  hasRoom(trafficClass: TrafficClassName): boolean;

  /**
   * Gives the packet to the path, whether it has room or not: the caller must not change it any more. `key` and
   * `lifetimeMs` are for a link whose packets travel in those of another session: {@link Outbox.forward}.
   */
  send(trafficClass: TrafficClassName, packet: Uint8Array, key?: number, lifetimeMs?: number): void;

  close(code: number, reason: string): void;
}

export function newLinkCounters(): LinkCounters {
  return {
    packetsSent: 0,
    bytesSent: 0,
    packetsReceived: 0,
    bytesReceived: 0,
    packetsDropped: 0,
  };
}

/** Whether packets of this class may be lost, and so may go over a link that carries only such. */
export function mayBeLost(trafficClass: TrafficClassName): trafficClass is "state" | "input" | "event" {
  return trafficClass === "state" || trafficClass === "input" || trafficClass === "event";
}

/** Whether what may be lost is lost on the link: what a relay drops was replaced by something newer. */
export function losesPackets({ isUnreliable, kind }: Link): boolean {
  return isUnreliable && kind !== "relayed";
}
