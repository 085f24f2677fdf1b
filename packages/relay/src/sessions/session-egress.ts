import type { TrafficClassName } from "@paceline/protocol";
import type { Clock } from "@paceline/transport";
import type { SessionMeter } from "../limits/session-meter.js";
import type { BucketShare, TokenBucket } from "../limits/token-bucket.js";

/** Part of the burst that stays for more important classes. States are dropped first, then events. */
const RESERVES: Readonly<Partial<Record<TrafficClassName, number>>> = { state: 0.5, input: 0.5, event: 0.25 };

export interface SessionEgressOptions {
  readonly clock: Clock;
  /** The session's share of the room's rate. */
  readonly room: BucketShare;
  /** Rates of the session's network address and of the networks around it. */
  readonly address: readonly TokenBucket[];
  readonly meter: SessionMeter;
}

/**
 * Limits the bytes that the relay forwards for one session: one envelope becomes a packet for each target.
 * The room never holds a session back within its own share. Beyond it states are dropped first, then events,
 * since newer ones follow. A dropped reliable packet counts against the sender, who is cut as flooding if it
 * goes on. Until then the sessions of the peers repeat the packet.
 */
export class SessionEgress {
  readonly #options: SessionEgressOptions;

  constructor(options: SessionEgressOptions) {
    this.#options = options;
  }

  /** Returns true if an envelope may go to its targets. `bytes`: the sum over all targets. */
  admit(trafficClass: TrafficClassName, bytes: number): boolean {
    const { clock, room, address } = this.#options;
    const nowMs = clock.nowMs();
    const reserve = RESERVES[trafficClass] ?? 0;
    if (!address.every((bucket) => bucket.take(bytes, nowMs, reserve))) {
      return this.#refused(trafficClass, "egressPerAddress");
    }
    return room.take(bytes, nowMs, reserve) || this.#refused(trafficClass, "egressPerRoom");
  }

  #refused(trafficClass: TrafficClassName, limit: "egressPerRoom" | "egressPerAddress"): false {
    const { meter } = this.#options;
    if (RESERVES[trafficClass] === undefined) meter.reportExceeded(limit);
    else meter.reportDropped(limit);
    return false;
  }
}
