import { assertRange, checkKeys } from "@paceline/protocol";
import { TokenBucket } from "@paceline/transport";

/** Limits of a player's messages and requests. */
export interface MessageLimits {
  /** Sustained rate of all types together, 0.01 to 100000 per second. Default 100. */
  readonly perSecond: number;
  /** Limit of messages at once, 0.01 to 100000; less than 1 counts as 1. Default 200. */
  readonly burst: number;
  /**
   * Sustained rates of single types, per second. The burst of a type is one second's messages, at least one.
   */
  readonly types: Readonly<Record<string, number>>;
}

const defaultMessageLimits: MessageLimits = { perSecond: 100, burst: 200, types: {} };

const RANGE = [0.01, 100_000, "messages per second"] as const;
/** Shortest time between two notices to a player that exceeds its limit. */
const NOTICE_PERIOD_MS = 1000;

/** Fills the defaults of a room's limits and checks them. Throws {@link ConfigError}. */
export function checkedMessageLimits(given: Partial<MessageLimits>): MessageLimits {
  checkKeys("messageLimits", given, Object.keys(defaultMessageLimits));
  const limits = { ...defaultMessageLimits, ...given };
  assertRange("messageLimits.perSecond", limits.perSecond, RANGE);
  assertRange("messageLimits.burst", limits.burst, RANGE);
  for (const [type, perSecond] of Object.entries(limits.types)) {
    assertRange(`messageLimits.types.${type}`, perSecond, RANGE);
  }
  return limits;
}

/** Token buckets of one player's messages. */
export class MessageAllowance {
  readonly #all: TokenBucket;
  readonly #types = new Map<string, TokenBucket>();
  #notifiedAtMs = -Infinity;

  constructor({ perSecond, burst, types }: MessageLimits, nowMs: number) {
    this.#all = new TokenBucket(perSecond, Math.max(1, burst), nowMs);
    for (const [type, rate] of Object.entries(types)) {
      this.#types.set(type, new TokenBucket(rate, Math.max(1, rate), nowMs));
    }
  }

  admit(type: string, nowMs: number): boolean {
    return this.#all.take(1, nowMs) && (this.#types.get(type)?.take(1, nowMs) ?? true);
  }

  /** Returns true at most once a second: a notice for each dropped message would be a flood. */
  mayNotify(nowMs: number): boolean {
    if (nowMs - this.#notifiedAtMs < NOTICE_PERIOD_MS) return false;
    this.#notifiedAtMs = nowMs;
    return true;
  }
}
