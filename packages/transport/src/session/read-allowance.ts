import { limits } from "@paceline/protocol";
import { TokenBucket } from "../token-bucket.js";

/**
 * Allowance of messages that are read of one other participant, however often its session begins again. Each
 * message costs its reader about as much time, however short it is; so do {@link limits.itemsPerMessage} items
 * of msgpack values, or removals of entities. The reader drops packets that exceed the allowance unread, as if
 * they were lost, so that their sender repeats the reliable messages in them.
 */
export class ReadAllowance {
  readonly #messages: TokenBucket;
  /** Messages that were read since the last {@link admits}. */
  #unpaid = 0;

  constructor(perSecond: number, burst: number, nowMs: number) {
    this.#messages = new TokenBucket(perSecond, burst, nowMs);
  }

  /** Returns true if one more packet may be read. */
  admits(nowMs: number): boolean {
    this.#messages.spend(this.#unpaid, nowMs);
    this.#unpaid = 0;
    return this.#messages.waitMs(0, nowMs) === 0;
  }

  /** Charges messages that are being read. */
  charge(messages: number): void {
    this.#unpaid += messages;
  }

  /** Charges items of msgpack values, or removals, that are being read. */
  readonly chargeItems = (items: number): void => this.charge(items / limits.itemsPerMessage);
}
