import type { Clock } from "@paceline/transport";
import type { LimitSubject } from "../ops/relay-counters.js";
import type { RelayLimits } from "./relay-limits.js";
import { TokenBucket, type BucketShare } from "./token-bucket.js";

/** Without a refusal for so long, a session counts as keeping its limits again. */
const FORGIVEN_AFTER_MS = 1000;
/** Refused packets, in bursts, after which there is no waiting for the patience to end. */
const BURSTS_TOO_MANY = 10;

export interface MeterHandlers {
  /** For every packet that is to be dropped. */
  onRefused(subject: LimitSubject): void;
  /** A socket was closed because of a message beyond what is read at all. */
  onTooLong(): void;
  /** The session is to be cut. */
  onFlood(): void;
}

/** Measures what one participant sends, over all of its links. */
export class SessionMeter {
  readonly #clock: Clock;
  readonly #packets: TokenBucket;
  readonly #bytes: TokenBucket;
  readonly #signals: TokenBucket;
  readonly #patienceMs: number;
  readonly #maxRefused: number;
  readonly #roomBytes: BucketShare;
  readonly #onRefused: (subject: LimitSubject) => void;
  readonly #onTooLong: () => void;
  readonly #onFlood: () => void;
  #overSinceMs = 0;
  #refusedAtMs = Number.NEGATIVE_INFINITY;
  #refused = 0;

  /** `roomBytes`: what all sessions of the room may send together, with this session's own part of it. */
  constructor(limits: RelayLimits, clock: Clock, roomBytes: BucketShare, on: MeterHandlers) {
    const nowMs = clock.nowMs();
    this.#clock = clock;
    this.#packets = new TokenBucket(limits.packetsPerSecond, limits.packetBurst, nowMs);
    this.#bytes = new TokenBucket(limits.bytesPerSecond, limits.byteBurst, nowMs);
    this.#signals = new TokenBucket(limits.signalsPerSecond, limits.signalBurst, nowMs);
    this.#patienceMs = limits.floodPatienceMs;
    this.#maxRefused = limits.packetBurst * BURSTS_TOO_MANY;
    this.#roomBytes = roomBytes;
    this.#onRefused = (subject) => on.onRefused(subject);
    this.#onTooLong = () => on.onTooLong();
    this.#onFlood = () => on.onFlood();
  }

  /** Whether a packet may pass. */
  admitPacket(packetBytes: number): boolean {
    const nowMs = this.#clock.nowMs();
    if (!this.#packets.take(1, nowMs) || !this.#bytes.take(packetBytes, nowMs)) {
      this.#refuse(nowMs, "trafficPerSession");
      return false;
    }
    if (this.#roomBytes.take(packetBytes, nowMs)) return true;
    // Beyond its own part: what others send is not this one's fault.
    this.#onRefused("bytesPerRoom");
    return false;
  }

  /** Whether a message that the relay itself passes on may pass. */
  admitSignal(): boolean {
    if (this.#signals.take(1, this.#clock.nowMs())) return true;
    // In a large room an honest newcomer may need more: it goes on through the relay meanwhile, and is not cut.
    this.#onRefused("signalsPerSession");
    return false;
  }

  /** Someone else holds back a message of this session: it exceeds a rate that is not measured here. */
  reportExceeded(subject: LimitSubject): void {
    this.#refuse(this.#clock.nowMs(), subject);
  }

  /** A socket of the session was closed because of a message beyond what is read at all. */
  reportTooLong(): void {
    this.#onTooLong();
  }

  /** Someone else has dropped what may be lost: counted, and nothing more. */
  reportDropped(subject: LimitSubject): void {
    this.#onRefused(subject);
  }

  /** Someone else has found the session flooding: its socket, for example, by bytes that are no packets. */
  reportFlood(): void {
    this.#onFlood();
  }

  #refuse(nowMs: number, subject: LimitSubject): void {
    this.#onRefused(subject);
    if (nowMs - this.#refusedAtMs > FORGIVEN_AFTER_MS) {
      this.#overSinceMs = nowMs;
      this.#refused = 0;
    }
    this.#refusedAtMs = nowMs;
    this.#refused += 1;
    if (nowMs - this.#overSinceMs > this.#patienceMs || this.#refused > this.#maxRefused) this.#onFlood();
  }
}
