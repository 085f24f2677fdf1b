import type { TrafficClassName } from "@paceline/protocol";
import type { Clock } from "@paceline/transport";
import type { SessionMeter } from "../limits/session-meter.js";
import type { BucketShare, TokenBucket } from "../limits/token-bucket.js";

/** Part of the burst that is left to what is more important: states yield first, then events. */
const RESERVES: Readonly<Partial<Record<TrafficClassName, number>>> = { state: 0.5, input: 0.5, event: 0.25 };

export interface SessionEgressOptions {
  readonly clock: Clock;
  /** The room's forwarding budget, with the session's share. */
  readonly room: BucketShare;
  /** The forwarding budget of the session's network address and of the networks around it. */
  readonly address: readonly TokenBucket[];
  readonly meter: SessionMeter;
}

/**
 * Limits what the relay sends on behalf of one session: one envelope becomes a packet for each of its targets. Within
 * its own part of the room's rate a session is never held back by the room. Beyond it states are dropped first, then
 * events: newer ones follow. A reliable packet that is dropped counts against the sender, who is cut as flooding if it
 * goes on; until then the sessions of the peers repeat it.
 */
export class SessionEgress {
  readonly #options: SessionEgressOptions;

  constructor(options: SessionEgressOptions) {
    this.#options = options;
  }

  /** Whether an envelope may go to its targets; `bytes`: of all packets that it becomes. */
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
