import type { DropReason } from "@paceline/protocol";
import type { Link, LinkClose } from "../link.js";
import type { ChannelPolicyOf } from "../profiles/plan.js";
import type { Scheduler } from "../scheduler.js";
import type { AnswerBudget } from "./outbox/answer-budget.js";
import type { ByteBudget } from "./outbox/byte-budget.js";
import type { BulkRate, SavedSender } from "./sender.js";
import type { ReadAllowance } from "./read-allowance.js";
import type { SavedReceiver } from "./receiver.js";

/** Both windows of a session. Plain data, but for the bytes of messages. */
export interface SavedSession {
  readonly sent: SavedSender;
  readonly received: SavedReceiver;
}

/** Counts of drops by reason. */
export class DropCounters {
  readonly #counts = new Map<DropReason, number>();

  get total(): number {
    return [...this.#counts.values()].reduce((sum, count) => sum + count, 0);
  }

  count(reason: DropReason, times = 1): void {
    if (times > 0) this.#counts.set(reason, this.of(reason) + times);
  }

  of(reason: DropReason): number {
    return this.#counts.get(reason) ?? 0;
  }

  /** Returns the reasons that occurred, with their counts. */
  toRecord(): Partial<Record<DropReason, number>> {
    return Object.fromEntries(this.#counts);
  }
}

/**
 * Times of one ping, ms: this side's clock when the ping left and when the pong arrived, and the other's in
 * between.
 */
export interface PongTimes {
  readonly sentMs: number;
  readonly remoteMs: number;
  readonly receivedMs: number;
  /** True if this side's own loop was late in between, so that the pong may have waited for it. */
  readonly wasLate: boolean;
}

/**
 * Calls of a session to its owner. Byte arrays are views, valid during the call, except reliable payloads.
 */
export interface SessionHandlers {
  /** Called with each reliable message exactly once, in the order of sending. */
  onReliable(payload: Uint8Array): void;
  /** Called with each message of {@link Session.sendBulk} exactly once, in the order of sending. */
  onBulk?(payload: Uint8Array): void;
  onEvent?(body: Uint8Array): void;
  /** Called with newest-wins states, and the time of their arrival. They may arrive late, but never twice. */
  onState?(body: Uint8Array, tick: number, cameAtMs: number): void;
  /** Called with inputs of a player. They may arrive late, but never twice. */
  onInput?(body: Uint8Array): void;
  /**
   * Called once for a state that has arrived at the other side, with the number of {@link Session.sendState}.
   * Oldest first.
   */
  onAcknowledged?(number: number): void;
  /** Called when a ping over that link was answered. */
  onPong?(times: PongTimes, link: Link): void;
  /** Called with a packet in a routing envelope, which is for another participant or from one. */
  onRouted?(packet: Uint8Array, link: Link): void;
  /** Called when another link carries the traffic. `link` is undefined if none is left. */
  onActiveLink?(link: Link | undefined, reason: string): void;
  /** Called when a link with {@link LinkMonitorOptions.silenceMs} falls silent or is heard again. */
  onSilence?(link: Link, isSilent: boolean): void;
  /** Called when another link carries the classes that may be lost. Mostly it is the active link. */
  onStateLink?(link: Link | undefined): void;
  /** Called when a link of this session has ended or was given up. `isLast`: no other link is usable. */
  onLinkDown?(link: Link, close: LinkClose, isLast: boolean): void;
  /** Called last, when the other side has ended the session, or was cut off after repeated violations. */
  onClosed?(close: LinkClose, by: "remote" | "violations"): void;
}

export interface SessionOptions {
  readonly scheduler: Scheduler;
  readonly handlers: SessionHandlers;
  /** Returns the simulation tick for outgoing packets. Default: 0. */
  readonly currentTick?: () => number;
  /**
   * Returns the plan's policy of a traffic class. Called at every message. Default: all leaves at once, over
   * the best link.
   */
  readonly channel?: ChannelPolicyOf;
  /**
   * Returns the time for which answers wait for the plan's bundles, ms. Default: they do not. Those to a server do
   * not: it sends more than it gets, and over TCP few packets are what makes a loss take long to be repaired.
   */
  readonly answerPeriodMs?: () => number;
  /** Returns the limit of bytes of a received bulk message. Called at every fragment. Without it, bulk is refused. */
  readonly bulkBytes?: () => number;
  /** Budget of bulk bytes through a relay that sessions share. Default: the capacity of the path. */
  readonly bulkRate?: BulkRate;
  /** Uplink budget that sessions share. Default: the capacity of the paths. */
  readonly budget?: ByteBudget;
  /** Budget that sessions share of what their other sides cause. Default: a budget of this session's own. */
  readonly answers?: AnswerBudget;
  /**
   * Limit of bytes of whole packets of commands, or of bulk, that may wait for a link. Beyond it the link is
   * closed. Default 1 MiB.
   */
  readonly maxForwardedBytes?: number;
  /** True if the other side sends only some of its published packets to this one, so that gaps in them are no loss. */
  readonly hasGaps?: boolean | undefined;
  /** Returns true while reliable messages must wait, because the other side does not read them yet. */
  readonly holdsReliable?: () => boolean;
  /** Allowance of messages that are read of the other side. Default: all are read. */
  readonly allowance?: ReadAllowance;
  /** A session that goes on in this one: see {@link Session.save}. */
  readonly saved?: SavedSession | undefined;
  /**
   * Returns the time to add to this process's clock in answers to pings, ms, so that the other side's estimate goes
   * on after a restart. Default: 0.
   */
  readonly clockShiftMs?: () => number;
  /** Counters of drops that many sessions may share. Default: counters of this session only. */
  readonly drops?: DropCounters;
}
