import type { Link, LinkClose } from "../link.js";
import type { ChannelPolicyOf } from "../profiles/plan.js";
import type { Scheduler } from "../scheduler.js";
import type { ByteBudget } from "./outbox/byte-budget.js";
import type { BulkRate } from "./sender.js";
import type { DropCounters } from "./drop-counters.js";

/** Times of one ping, ms: of this side's clock when it left and when its pong came, of the other's in between. */
export interface PongTimes {
  readonly sentMs: number;
  readonly remoteMs: number;
  readonly receivedMs: number;
  /** Whether this side's own loop was late meanwhile, so that the pong may have waited for it. */
  readonly wasLate: boolean;
}

/** Calls of a session to its owner. Byte arrays are views, valid during the call, but for reliable payloads. */
export interface SessionHandlers {
  /** A reliable message: each exactly once, in the order in which the other side sent them. */
  onReliable(payload: Uint8Array): void;
  /** A message of {@link Session.sendBulk}: each exactly once, in the order in which they were sent. */
  onBulk?(payload: Uint8Array): void;
  onEvent?(body: Uint8Array): void;
  /** Newest-wins states; may come late, twice never. */
  onState?(body: Uint8Array, tick: number): void;
  /** Inputs of a player; may come late, twice never. */
  onInput?(body: Uint8Array): void;
  /** A state that {@link Session.sendState} numbered has arrived at the other side: told once, oldest first. */
  onAcknowledged?(number: number): void;
  /** A ping over that link was answered, by the other side's clock at the time. */
  onPong?(times: PongTimes, link: Link): void;
  /** A packet in a routing envelope: not this session's own, but for or from another participant. */
  onRouted?(packet: Uint8Array, link: Link): void;
  /** The link that carries the traffic has changed; undefined: none is left. */
  onActiveLink?(link: Link | undefined, reason: string): void;
  /** A link with {@link LinkMonitorOptions.silenceMs} has fallen silent, or is heard again. */
  onSilence?(link: Link, isSilent: boolean): void;
  /** The link that carries what may be lost has changed; the same as the other, unless one carries that alone. */
  onStateLink?(link: Link | undefined): void;
  /** A link of this session has ended, of itself or given up. `isLast`: no other can carry anything now. */
  onLinkDown?(link: Link, close: LinkClose, isLast: boolean): void;
  /** The session has ended: the other side said so, or broke the protocol repeatedly (and was told). Last call. */
  onClosed?(close: LinkClose, by: "remote" | "violations"): void;
}

export interface SessionOptions {
  readonly scheduler: Scheduler;
  readonly handlers: SessionHandlers;
  /** The simulation tick that outgoing packets carry. */
  readonly currentTick?: () => number;
  /** The plan's policy of a class of traffic, asked at every message. Default: all leaves at once, on the best link. */
  readonly channel?: ChannelPolicyOf;
  /** The longest message of bulk that is taken; without it none is. */
  readonly bulkBytes?: () => number;
  /** Shared budget of bulk bytes through a relay. Default: the capacity of the path. */
  readonly bulkRate?: BulkRate;
  /** Uplink budget that sessions share. Default: the capacity of the paths. */
  readonly budget?: ByteBudget;
  /** Whole packets of commands, or of bulk, that may wait for a link; with more it is closed. Default 1 MiB. */
  readonly maxForwardedBytes?: number;
  /** Malformed packets after which the session is closed. Default 50. */
  readonly violationLimit?: number;
  /** Counts what is dropped, for many sessions together. Default: counters of this session's own. */
  readonly drops?: DropCounters;
}
