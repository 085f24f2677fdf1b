import type { IceServer } from "@paceline/protocol";
import type { Link } from "./link.js";
import type { Scheduler } from "./scheduler.js";

/** The route of a WebRTC link, known once a pair of candidates is selected. */
export interface LinkRoute {
  /** True if a TURN server passes the packets on. */
  readonly isTurn: boolean;
  /** Protocol from this side to the other side, or to the TURN server. */
  readonly protocol: "udp" | "tcp" | "tls";
}

/** A WebRTC link, of a browser or of Node: both sides exchange signals until it opens. */
export interface SignalledLink extends Link {
  /** Route of the link. Undefined before it is known. */
  readonly route: LinkRoute | undefined;
  /** Errors during the attempt, if the link hears of them. They may or may not be the reason of a failure. */
  readonly hint?: string | undefined;
  /** Takes a signal from the other side's `onSignal`. The signal is untrusted. Never throws. */
  signal(data: unknown): void;
}

/** Options of a WebRTC link. */
export interface WebRtcLinkOptions {
  readonly scheduler: Scheduler;
  /** True on the side that makes the offer. */
  readonly isInitiator: boolean;
  readonly iceServers: readonly IceServer[];
  /** `relay`: only through TURN. Default `all`. */
  readonly iceTransportPolicy?: "all" | "relay";
  /** Lifetime of an event on its channel, ms. Default 1500. */
  readonly eventLifetimeMs?: number;
  /** Sends a description or candidate to the other side, which gives it to `signal`. */
  onSignal(data: unknown): void;
}

/** Creates a WebRTC link if the environment has no WebRTC of its own. */
export type WebRtcLinkMaker = (options: WebRtcLinkOptions) => SignalledLink;

/** Returns true if this environment has WebRTC. Tests for the functions, not for names of browsers. */
export function hasWebRtc(): boolean {
  return typeof RTCPeerConnection === "function" && typeof RTCDataChannel === "function";
}
