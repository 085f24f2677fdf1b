import type { TrafficClassName } from "@paceline/protocol";
import type { Link, LinkGuard } from "@paceline/transport";
import { FramedLink } from "@paceline/transport/node";
import type { RelayCounters, TrafficCount } from "../ops/relay-counters.js";
import type { SessionMeter } from "../limits/session-meter.js";

/** RFC 6455, section 7.4.1: the socket was closed before the message was read. */
const MESSAGE_TOO_BIG = 1009;

/** The owner of the socket under a link. */
export interface LinkOwner {
  /** Something is about to be sent. */
  sending(): void;
  /** The link ends, from this side or the other; may be called more than once. */
  closing(code: number): void;
}

/**
 * A link that was let in. Its packets are measured before the session sees them, and the owner of its socket hears of its
 * end. An error that a packet causes goes to the participant, not to the socket's event, where it would end the process.
 */
export class AdmittedLink implements LinkGuard {
  readonly link: Link;
  /** Set where the link takes packets that are framed already. */
  readonly #framed: FramedLink | undefined;
  readonly #counters: RelayCounters | undefined;
  readonly #owner: LinkOwner | undefined;
  /** The network address that the link comes from; empty where nobody knows. */
  address = "";
  /** Called before anything is sent: what waits for this link goes first. */
  beforeSend: (() => void) | undefined;
  #meter: SessionMeter | undefined;
  #onFault: ((error: unknown) => void) | undefined;

  constructor(link: Link, owner?: LinkOwner, counters?: RelayCounters) {
    this.link = link;
    this.#framed = link instanceof FramedLink ? link : undefined;
    this.#counters = counters;
    this.#owner = owner;
    link.guard = this;
  }

  /** The participant's packet meter, set when the participant takes the link. */
  get meter(): SessionMeter | undefined {
    return this.#meter;
  }

  /** Begins to measure. Called before the link's start. `onFault`: something that the link's events have called has thrown. */
  measure(meter: SessionMeter, onFault: (error: unknown) => void): void {
    this.#meter = meter;
    this.#onFault = onFault;
  }

  admits(packetBytes: number): boolean {
    this.#counters?.packetReceived(this.link.kind, packetBytes);
    try {
      return this.#meter?.admitPacket(packetBytes) !== false;
    } catch (error) {
      this.failed(error);
      return false;
    }
  }

  sending(trafficClass: TrafficClassName, packetBytes: number): void {
    try {
      this.beforeSend?.();
      this.#owner?.sending();
      this.#counters?.packetSent(this.link.kind, trafficClass, packetBytes);
    } catch (error) {
      // The sender of a packet must not suffer for the link of its receiver.
      this.failed(error);
    }
  }

  closing(code: number): void {
    try {
      this.#owner?.closing(code);
      if (code === MESSAGE_TOO_BIG) this.#meter?.reportTooLong();
    } catch (error) {
      this.failed(error);
    }
  }

  failed(error: unknown): void {
    if (!this.#onFault) throw error;
    this.#onFault(error);
  }

  /** Whether it takes packets that are framed already. */
  get takesFrames(): boolean {
    return this.#framed !== undefined;
  }

  /** Sends whole frames in one write: so many packets with so many bytes, by class. */
  sendFrames(frames: Uint8Array, sent: ReadonlyMap<TrafficClassName, TrafficCount>): void {
    let [packets, bytes] = [0, 0];
    for (const [trafficClass, count] of sent) {
      packets += count.packets;
      bytes += count.bytes;
      this.#counters?.packetsSent(this.link.kind, trafficClass, count);
    }
    try {
      this.#framed?.sendFrames(frames, packets, bytes);
    } catch (error) {
      this.failed(error);
    }
  }
}
