import type { Scheduler } from "../../scheduler.js";
import { ByteBudget } from "./byte-budget.js";

/** Bytes of answers that a session without a shared budget sends in a second: an eighth of a relay's limit. */
const SESSION_BYTES_PER_SECOND = 65_536;
/** Bytes of answers that all pairs of a client send in a second. A relay allows the client twice as many. */
const PAIRS_BYTES_PER_SECOND = 131_072;
/** Packets with nothing but acks that all relayed pairs send in a second. A relay allows twice as many. */
const ACK_PACKETS_PER_SECOND = 200;
/** The share of a second that may leave at once. The other half is the sustained rate. */
const BURST_SHARE = 0.5;

/**
 * Bytes that a packet with answers costs at least: a relay that allows a session 400 packets and 262,144 bytes
 * a second allows one packet for each 655 bytes.
 */
export const ANSWER_PACKET_BYTES = 655;

/**
 * Budget of what other participants cause with small packets: repeated messages, answers to their requests,
 * and copies of broadcasts for pairs that are out of step. Without it, a hostile receiver could make a client
 * exceed the relay's limits, and the relay would remove the client. Pairs share the budget in equal parts.
 */
export class AnswerBudget {
  readonly bytes: ByteBudget;
  /** Packets with nothing but acks. They count one each. */
  readonly ackPackets: ByteBudget;

  constructor(scheduler: Scheduler) {
    this.bytes = new ByteBudget(scheduler, () => PAIRS_BYTES_PER_SECOND, BURST_SHARE);
    this.ackPackets = new ByteBudget(scheduler, () => ACK_PACKETS_PER_SECOND, BURST_SHARE);
  }
}

/** Returns the budget of a session that shares none. */
export function sessionAnswerBudget(scheduler: Scheduler): ByteBudget {
  return new ByteBudget(scheduler, () => SESSION_BYTES_PER_SECOND, BURST_SHARE);
}
