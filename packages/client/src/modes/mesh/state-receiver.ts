import { limits } from "@paceline/protocol";
import { StateBudget } from "@paceline/netcode";
import { TokenBucket, type Link } from "@paceline/transport";
import type { PeerConnection } from "../../peers/peer-connection.js";

/** Share of the states that a receiver reads of this participant, for messages to it alone. */
const REPAIR_SHARE = 0.25;
/** Rate limit for resync requests, per stream. */
const RESYNC_INTERVAL_MS = 250;
/** Time for which a receiver that lost ordered states acknowledges what it gets, ms. Doubles each time. */
const FIRST_UNORDERED_MS = 10_000;

/** A peer as receiver of this participant's states: what it asked for, and the budgets of what it alone gets. */
export class StateReceiver {
  readonly peer: PeerConnection;
  /** Streams whose columns it has requested. */
  readonly described = new Set<number>();
  /** Pays for the states that it reads in messages for it alone. */
  readonly repairs: TokenBucket;
  /** Pays for the packets that it gets alone. */
  readonly budget = new StateBudget();
  /** Sends it what it waits for. Identifies it in the pairs' budget of answers. */
  readonly send: () => void;
  /** The link over which it has got states in order; undefined if it acknowledges what it gets. */
  inOrder: Link | undefined;
  readonly #resyncedAtMs = new Map<number, number>();
  #unorderedUntilMs = -Infinity;
  #unorderedMs = FIRST_UNORDERED_MS;

  constructor(peer: PeerConnection, burstShare: number, nowMs: number, send: (to: StateReceiver) => void) {
    this.peer = peer;
    this.send = () => send(this);
    const burst = limits.statesBurst * burstShare;
    this.repairs = new TokenBucket(limits.statesPerSecond * REPAIR_SHARE, burst, nowMs);
  }

  /** Returns true if a request for whole states of a stream comes too soon after the last one. */
  isHasty(stream: number, nowMs: number): boolean {
    return nowMs - (this.#resyncedAtMs.get(stream) ?? -Infinity) < RESYNC_INTERVAL_MS;
  }

  resynced(stream: number, nowMs: number): void {
    this.#resyncedAtMs.set(stream, nowMs);
  }

  /** Notes that it has lost ordered states. For a while it acknowledges what it gets, longer at each time. */
  lostOrder(nowMs: number): void {
    if (!this.keepsOrder(nowMs)) return;
    this.#unorderedUntilMs = nowMs + this.#unorderedMs;
    this.#unorderedMs *= 2;
  }

  keepsOrder(nowMs: number): boolean {
    return nowMs >= this.#unorderedUntilMs;
  }
}
