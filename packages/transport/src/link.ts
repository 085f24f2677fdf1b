import type { TrafficClassName } from "@paceline/protocol";

/** The ways a link can carry packets. `relayed` goes through the server to another participant. */
export type LinkKind = "websocket" | "webrtc" | "relayed" | "memory";

export type LinkState = "connecting" | "open" | "closed";

/** Why a link closed: a code of {@link CloseCode} or a WebSocket's own, and words for people. */
export interface LinkClose {
  readonly code: number;
  readonly reason: string;
}

/** What a link tells its owner. Calls come one at a time and never from inside `send` or `close`. */
export interface LinkHandlers {
  onOpen(): void;
  /** `packet` belongs to the receiver: the link does not touch it again. */
  onPacket(packet: Uint8Array): void;
  /** Once, and last: no call follows it. */
  onClose(close: LinkClose): void;
}

/** What went over a link; all count up from its start. */
export interface LinkCounters {
  packetsSent: number;
  bytesSent: number;
  packetsReceived: number;
  bytesReceived: number;
  /** States that a newer one replaced before they were sent. */
  statesReplaced: number;
  /** Packets dropped unsent: stale events, states beyond the queue, anything after the close. */
  packetsDropped: number;
}

/**
 * One live path to one remote. Its life goes one way: connecting, open, closed. The same classes of traffic mean
 * the same on every link:
 *
 * - state, input: the newest wins. While the path is busy, a packet replaces the unsent one with the same key.
 * - event: dropped at the sender when it could not be sent within its lifetime.
 * - command, reference: in order, as long as the link lives. When it dies, what arrived is unknown: the session
 *   numbers and repeats.
 * - bulk: as a command, but in an order of its own: it waits while anything else does.
 *
 * `send` and `close` never throw and never call back before they return.
 */
export interface Link {
  readonly kind: LinkKind;
  readonly state: LinkState;
  /** True where a lost state does not delay the states behind it. */
  readonly isUnreliable: boolean;
  readonly counters: Readonly<LinkCounters>;
  /** Bytes that wait here for the path to take them. */
  readonly queuedBytes: number;

  /** Sets the handlers; called once, by the owner. A link that opened before reports it after this call. */
  start(handlers: LinkHandlers): void;

  /**
   * Hands the packet over: the caller must not change it any more. A waiting state with the same `key` is replaced; 0,
   * the default, replaces none. Any whole number: a relay joins the sender's number and its {@link Envelope.key}. An event that could not
   * be sent within `lifetimeMs` is dropped; default: the link's own.
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
    statesReplaced: 0,
    packetsDropped: 0,
  };
}
