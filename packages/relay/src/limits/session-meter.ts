import type { Clock } from "@paceline/transport";
import type { LimitSubject } from "../ops/relay-counters.js";
import type { RelayLimits } from "./relay-limits.js";
import { TokenBucket, type BucketShare } from "./token-bucket.js";

/** After this time without a refusal, the patience with the session begins again. */
const FORGIVEN_AFTER_MS = 1000;
/**
 * After this many refused packets, as a multiple of the burst, the session is cut before the patience ends.
 */
const BURSTS_TOO_MANY = 10;

export interface MeterHandlers {
  /** Called for each packet or message that is dropped. */
  readonly onRefused: (subject: LimitSubject) => void;
  /** Called when a socket was closed because a message exceeded the largest size that it reads. */
  onTooLong(): void;
  /** Called when the session floods: the owner cuts it. */
  onFlood(): void;
}

/**
 * Measures the packets and bytes that one participant sends, over all of its links. The owner drops what is
 * not admitted. If refusals go on for `floodPatienceMs`, or become very many, the owner ends the session.
 */
export class SessionMeter {
  readonly #clock: Clock;
  readonly #packets: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #limits: RelayLimits;
  #signals: TokenBucket | undefined;
  readonly #roomBytes: BucketShare;
  readonly #on: MeterHandlers;
  #overSinceMs = 0;
  #refusedAtMs = -Infinity;
  #refused = 0;

  /** `roomBytes`: this session's share of the rate of bytes that all sessions of the room may send. */
  constructor(limits: RelayLimits, clock: Clock, roomBytes: BucketShare, on: MeterHandlers) {
    const nowMs = clock.nowMs();
    this.#clock = clock;
    this.#packets = new TokenBucket(limits.packetsPerSecond, limits.packetBurst, nowMs);
    this.#bytes = new TokenBucket(limits.bytesPerSecond, limits.byteBurst, nowMs);
    this.#limits = limits;
    this.#roomBytes = roomBytes;
    this.#on = on;
  }

  admitPacket(packetBytes: number): boolean {
    const nowMs = this.#clock.nowMs();
    if (!this.#packets.take(1, nowMs) || !this.#bytes.take(packetBytes, nowMs)) {
      this.#refuse(nowMs, "trafficPerSession");
      return false;
    }
    if (this.#roomBytes.take(packetBytes, nowMs)) return true;
    // The session kept its own limits. Others have used up the room's rate, so this is no flooding.
    this.#on.onRefused("bytesPerRoom");
    return false;
  }

  admitSignal(): boolean {
    const nowMs = this.#clock.nowMs();
    const { signalsPerSecond, signalBurst } = this.#limits;
    this.#signals ??= new TokenBucket(signalsPerSecond, signalBurst, nowMs);
    if (this.#signals.take(1, nowMs)) return true;
    // In a large room an honest newcomer may send more signals. It is not cut, and uses the relay meanwhile.
    this.#on.onRefused("signalsPerSession");
    return false;
  }

  /**
   * Counts a message that another part of the relay holds back for its rate. Repeated, this counts as
   * flooding.
   */
  reportExceeded(subject: LimitSubject): void {
    this.#refuse(this.#clock.nowMs(), subject);
  }

  reportTooLong(): void {
    this.#on.onTooLong();
  }

  /** Counts a dropped message that may be lost. It never counts as flooding. */
  reportDropped(subject: LimitSubject): void {
    this.#on.onRefused(subject);
  }

  /**
   * Reports that another part of the relay saw the session flooding, for example with bytes that are no
   * packets.
   */
  reportFlood(): void {
    this.#on.onFlood();
  }

  #refuse(nowMs: number, subject: LimitSubject): void {
    this.#on.onRefused(subject);
    if (nowMs - this.#refusedAtMs > FORGIVEN_AFTER_MS) {
      this.#overSinceMs = nowMs;
      this.#refused = 0;
    }
    this.#refusedAtMs = nowMs;
    this.#refused += 1;
    const { floodPatienceMs, packetBurst } = this.#limits;
    const isLong = nowMs - this.#overSinceMs > floodPatienceMs;
    if (isLong || this.#refused > packetBurst * BURSTS_TOO_MANY) this.#on.onFlood();
  }
}
