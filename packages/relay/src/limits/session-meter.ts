import type { TrafficClassName } from "@paceline/protocol";
import { ReadAllowance, TokenBucket, type Clock } from "@paceline/transport";
import type { LimitSubject } from "../ops/relay-counters.js";
import type { RelayLimits } from "./relay-limits.js";
import type { BucketShare } from "./bucket-share.js";

/** After this time without a refusal, the patience with the session begins again. */
const FORGIVEN_AFTER_MS = 1000;
/**
 * After this many refused packets, as a multiple of the burst, the session is cut before the patience ends.
 */
const BURSTS_TOO_MANY = 10;

export interface SessionMeterOptions {
  readonly limits: RelayLimits;
  readonly clock: Clock;
  /** The session's shares of the room's rates: `ingress` for its sends, `egress` for the relay's forwards. */
  readonly shares: { readonly ingress: BucketShare; readonly egress: BucketShare };
  /** Rates of forwards of the session's network address and of the networks around it. */
  readonly address: readonly TokenBucket[];
  /** Called for each packet or message that is dropped. */
  onRefused(subject: LimitSubject): void;
  /** Called when a socket was closed because a message exceeded the largest size that it reads. */
  onTooLong(): void;
  /** Called when the session floods: the owner cuts it. */
  onFlood(): void;
}

/** Part of the burst that stays for more important classes. States are dropped first, then events. */
const RESERVES: Readonly<Partial<Record<TrafficClassName, number>>> = { state: 0.5, input: 0.5, event: 0.25 };

/**
 * Measures the packets, bytes and messages that one participant sends, over all of its links, and the bytes that
 * the relay forwards for it: one envelope becomes a packet for each target. The owner drops what is not admitted.
 * If refusals go on for `floodPatienceMs`, or become very many, the owner ends the session.
 */
export class SessionMeter {
  /** Other parts of the relay call the owner by them, too, if they see a flood or a message too long. */
  readonly options: SessionMeterOptions;
  /** The reader of the packets charges it for the messages in them. */
  readonly allowance: ReadAllowance;
  readonly #packets: TokenBucket;
  readonly #bytes: TokenBucket;
  #signals: TokenBucket | undefined;
  #overSinceMs = 0;
  #refusedAtMs = -Infinity;
  #refused = 0;

  constructor(options: SessionMeterOptions) {
    this.options = options;
    const { limits, clock } = options;
    const nowMs = clock.nowMs();
    this.allowance = new ReadAllowance(limits.messagesPerSecond, limits.messageBurst, nowMs);
    this.#packets = new TokenBucket(limits.packetsPerSecond, limits.packetBurst, nowMs);
    this.#bytes = new TokenBucket(limits.bytesPerSecond, limits.byteBurst, nowMs);
  }

  admitPacket(packetBytes: number): boolean {
    const nowMs = this.options.clock.nowMs();
    const isWithinSession =
      this.allowance.admits(nowMs) && this.#packets.take(1, nowMs) && this.#bytes.take(packetBytes, nowMs);
    if (!isWithinSession) {
      this.#refuse(nowMs, "trafficPerSession");
      return false;
    }
    if (this.options.shares.ingress.take(packetBytes, nowMs)) return true;
    // The session kept its own limits. Others have used up the room's rate, so this is no flooding.
    this.options.onRefused("bytesPerRoom");
    return false;
  }

  admitSignal(): boolean {
    const nowMs = this.options.clock.nowMs();
    const { signalsPerSecond, signalBurst } = this.options.limits;
    this.#signals ??= new TokenBucket(signalsPerSecond, signalBurst, nowMs);
    if (this.#signals.take(1, nowMs)) return true;
    // In a large room an honest newcomer may send more signals. It is not cut, and uses the relay meanwhile.
    this.options.onRefused("signalsPerSession");
    return false;
  }

  /**
   * Returns true if an envelope may go to its targets. `bytes`: the sum over all targets. The room never holds a
   * session back within its own share. A dropped reliable packet counts against the sender, who is cut as
   * flooding if it goes on; until then the sessions of the peers repeat the packet.
   */
  admitForwarded(trafficClass: TrafficClassName, bytes: number): boolean {
    const nowMs = this.options.clock.nowMs();
    const reserve = RESERVES[trafficClass];
    const isWithinAddress = this.options.address.every((bucket) => bucket.take(bytes, nowMs, reserve));
    if (isWithinAddress && this.options.shares.egress.take(bytes, nowMs, reserve)) return true;
    const subject = isWithinAddress ? "egressPerRoom" : "egressPerAddress";
    // Newer states and events follow.
    if (reserve === undefined) this.#refuse(nowMs, subject);
    else this.options.onRefused(subject);
    return false;
  }

  /**
   * Counts a message that another part of the relay holds back for its rate. Repeated, this counts as
   * flooding.
   */
  reportExceeded(subject: LimitSubject): void {
    this.#refuse(this.options.clock.nowMs(), subject);
  }

  #refuse(nowMs: number, subject: LimitSubject): void {
    this.options.onRefused(subject);
    if (nowMs - this.#refusedAtMs > FORGIVEN_AFTER_MS) {
      this.#overSinceMs = nowMs;
      this.#refused = 0;
    }
    this.#refusedAtMs = nowMs;
    this.#refused += 1;
    const { floodPatienceMs, packetBurst } = this.options.limits;
    const isLong = nowMs - this.#overSinceMs > floodPatienceMs;
    if (isLong || this.#refused > packetBurst * BURSTS_TOO_MANY) this.options.onFlood();
  }
}
