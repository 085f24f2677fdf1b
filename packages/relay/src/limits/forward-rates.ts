import { limits as wireLimits } from "@paceline/protocol";
import type { RelayLimits } from "./relay-limits.js";
import { TokenBucket } from "@paceline/transport";
import { BucketShare } from "./bucket-share.js";

/** Part of a second's forwards that may leave at once: 10 ms of work at the default. */
const BURST_SECONDS = 0.025;
/** An envelope with all targets fits into every share. */
const MIN_SHARE_BURST = wireLimits.envelopeTargets;
/** All members of a room of 64 may send to all others in the same moment. */
const MIN_COMMON_BURST = wireLimits.envelopeTargets ** 2;
/** A room counts as active until the end of the period after the one in which it last forwarded. */
const PERIOD_MS = 1000;

function commonBucket(perSecond: number, nowMs: number): TokenBucket {
  return new TokenBucket(perSecond, Math.max(MIN_COMMON_BURST, perSecond * BURST_SECONDS), nowMs);
}

function shareBurst(perSecond: number): number {
  return Math.max(MIN_SHARE_BURST, perSecond * BURST_SECONDS);
}

/**
 * Rate of forwards of the whole relay: one packet to one receiver is one forward. Each active room has an equal
 * part that other rooms cannot take from it, and all share what is left.
 */
export class ForwardRates {
  readonly #limits: RelayLimits;
  readonly #all: TokenBucket;
  #active = new Set<TokenBucket>();
  #activeBefore = 0;
  #periodEndsAtMs = -Infinity;

  constructor(limits: RelayLimits, nowMs: number) {
    this.#limits = limits;
    this.#all = commonBucket(limits.forwardsPerSecond, nowMs);
  }

  /** Returns the rates of a new room. */
  room(nowMs: number): RoomForwards {
    const own = commonBucket(this.#limits.forwardsPerSecondPerRoom, nowMs);
    const { perSecond } = this.#all;
    return new RoomForwards(this, own, new TokenBucket(perSecond, shareBurst(perSecond), nowMs));
  }

  /** Returns a room's share of the relay's rate. `part`: the room's part of it. */
  shareOf(part: TokenBucket): BucketShare {
    return new BucketShare(part, this.#all);
  }

  /** Counts a room as active, and sets its part to the present number of active rooms. */
  enter(part: TokenBucket, nowMs: number): void {
    if (nowMs >= this.#periodEndsAtMs) {
      const isNext = nowMs < this.#periodEndsAtMs + PERIOD_MS;
      this.#activeBefore = isNext ? this.#active.size : 0;
      this.#active = new Set();
      this.#periodEndsAtMs = nowMs + PERIOD_MS;
    }
    this.#active.add(part);
    const perSecond = this.#all.perSecond / Math.max(this.#activeBefore, this.#active.size);
    if (perSecond !== part.perSecond) part.change(perSecond, shareBurst(perSecond), nowMs);
  }
}

/** Rates of forwards of one room: its own, and its part of the relay's. */
export class RoomForwards {
  readonly #rates: ForwardRates;
  readonly #own: TokenBucket;
  readonly #part: TokenBucket;
  readonly #ofRelay: BucketShare;

  constructor(rates: ForwardRates, own: TokenBucket, part: TokenBucket) {
    this.#rates = rates;
    this.#own = own;
    this.#part = part;
    this.#ofRelay = rates.shareOf(part);
  }

  /** Returns the share of a newcomer to a room with this many places. */
  share(places: number, nowMs: number): ForwardShare {
    const perSecond = this.#own.perSecond / places;
    const own = new TokenBucket(perSecond, shareBurst(perSecond), nowMs);
    return new ForwardShare(new BucketShare(own, this.#own), this);
  }

  /** Returns the room's share of the relay's rate. */
  ofRelay(nowMs: number): BucketShare {
    this.#rates.enter(this.#part, nowMs);
    return this.#ofRelay;
  }
}

/** A rate that holds forwards back. */
export type ForwardLimit = "forwardsPerRoom" | "forwards";

/** Forwards of one session: its share of the room's rate, while the room has its part of the relay's rate. */
export class ForwardShare {
  readonly #ofRoom: BucketShare;
  readonly #room: RoomForwards;

  constructor(ofRoom: BucketShare, room: RoomForwards) {
    this.#ofRoom = ofRoom;
    this.#room = room;
  }

  /** Takes so many forwards, or none. Returns the limit that holds them back, or undefined. */
  take(forwards: number, nowMs: number): ForwardLimit | undefined {
    if (this.#ofRoom.waitMs(forwards, nowMs) > 0) return "forwardsPerRoom";
    if (!this.#room.ofRelay(nowMs).take(forwards, nowMs)) return "forwards";
    this.#ofRoom.take(forwards, nowMs);
    return undefined;
  }

  /** Takes so many forwards, even as a debt. Returns the limit that has a debt now, or undefined. */
  spend(forwards: number, nowMs: number): ForwardLimit | undefined {
    const ofRelay = this.#room.ofRelay(nowMs);
    this.#ofRoom.spend(forwards, nowMs);
    ofRelay.spend(forwards, nowMs);
    if (this.#ofRoom.waitMs(0, nowMs) > 0) return "forwardsPerRoom";
    return ofRelay.waitMs(0, nowMs) > 0 ? "forwards" : undefined;
  }

  /** Returns the time until so many forwards may be admitted, ms. 0 forwards: until the debt is paid. */
  waitMs(forwards: number, nowMs: number): number {
    const ofRelay = this.#room.ofRelay(nowMs);
    return Math.max(this.#ofRoom.waitMs(forwards, nowMs), ofRelay.waitMs(forwards, nowMs));
  }
}
