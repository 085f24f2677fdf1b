/** Model of the packets that a path loses. */
export type LossModel =
  | { readonly kind: "none" }
  /** Loses each packet independently, with the probability `ratio`. */
  | { readonly kind: "uniform"; readonly ratio: number }
  /**
   * Losses in bursts: the path is good or bad and may change with every packet (Gilbert, BSTJ 1960; Elliott,
   * BSTJ 1963). In the long run it is bad for `pGoodToBad / (pGoodToBad + pBadToGood)` of all packets, with a
   * mean of `1 / pBadToGood` in a row.
   */
  | {
      readonly kind: "gilbert-elliott";
      readonly pGoodToBad: number;
      readonly pBadToGood: number;
      readonly lossInGood: number;
      readonly lossInBad: number;
    };

/** Properties of one direction of a path. All may change while packets are on their way. */
export interface NetworkSettings {
  /** Time from the end of the queue to the receiver, ms, without jitter. */
  readonly delayMs: number;
  /**
   * Standard deviation (ms) of a normal distribution around `delayMs`. No packet arrives before it was sent.
   */
  readonly jitterMs: number;
  readonly loss: LossModel;
  /** Share of packets (0 to 1) that arrive twice. */
  readonly duplicateRatio: number;
  /** Share of packets (0 to 1) that arrive `reorderHoldMs` later, so that others overtake them. */
  readonly reorderRatio: number;
  /** Additional delay of these packets, ms. */
  readonly reorderHoldMs: number;
  /** Capacity in bits per second, counted over whole packets of `send`. `Infinity`: no limit. */
  readonly rateBps: number;
  /** Limit of bytes that wait or are being sent. A packet that does not fit is dropped (drop-tail). */
  readonly queueBytes: number;
  /** Largest packet, bytes. A larger one is dropped; a reliable path cuts it into segments of this size. */
  readonly mtuBytes: number;
}

/** Counters of one direction's packets. */
export class NetworkCounters {
  sent = 0;
  sentBytes = 0;
  /** Arrivals, second copies included. */
  delivered = 0;
  deliveredBytes = 0;
  /** Lost packets. On a reliable path only those whose lifetime has ended. */
  lost = 0;
  /** Reliable path: lost transmissions that were repeated. */
  retransmitted = 0;
  duplicated = 0;
  /** Packets that arrived after a later one. Second copies do not count. */
  reordered = 0;
  droppedQueue = 0;
  droppedMtu = 0;
}

/** A path without delay, loss or limits. */
export const PERFECT_NETWORK: NetworkSettings = Object.freeze<NetworkSettings>({
  delayMs: 0,
  jitterMs: 0,
  loss: Object.freeze({ kind: "none" }),
  duplicateRatio: 0,
  reorderRatio: 0,
  reorderHoldMs: 20,
  rateBps: Infinity,
  queueBytes: Infinity,
  mtuBytes: Infinity,
});

/** Returns the share of packets that a model loses in the long run. */
export function lossRatio(loss: LossModel): number {
  if (loss.kind === "none") return 0;
  if (loss.kind === "uniform") return loss.ratio;
  const turns = loss.pGoodToBad + loss.pBadToGood;
  // Without changes a path stays good, which is its first state.
  const bad = turns > 0 ? loss.pGoodToBad / turns : 0;
  return bad * loss.lossInBad + (1 - bad) * loss.lossInGood;
}
