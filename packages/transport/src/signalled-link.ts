import type { IceServer } from "@paceline/protocol";
import type { Link } from "./link.js";
import type { LinkRoute } from "./link-route.js";
import type { Scheduler } from "./scheduler.js";

/** A WebRTC link, of a browser or of Node: both sides exchange signals until it opens. */
export interface SignalledLink extends Link {
  /** Route of the link; undefined before it is known. */
  readonly route: LinkRoute | undefined;
  /** Errors during the attempt. They may or may not be the reason why the link did not open. */
  readonly hint: string | undefined;
  /** Takes what the other side's `onSignal` gave. Untrusted: never throws. */
  signal(data: unknown): void;
}

/** The parts of a WebRTC link. */
export interface WebRtcLinkOptions {
  readonly scheduler: Scheduler;
  /** The side that makes the offer. */
  readonly isInitiator: boolean;
  readonly iceServers: readonly IceServer[];
  /** `relay`: through TURN alone. Default `all`. */
  readonly iceTransportPolicy?: "all" | "relay";
  /** Lifetime of an event on its channel, ms. Default 1500. */
  readonly eventLifetimeMs?: number;
  /** Carries a description or candidate to the other side, whose `signal` takes it. */
  onSignal(data: unknown): void;
}

/** Makes WebRTC links where the environment has no WebRTC of its own. */
export type WebRtcLinkMaker = (options: WebRtcLinkOptions) => SignalledLink;
