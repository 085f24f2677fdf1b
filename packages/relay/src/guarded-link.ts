import type { TrafficClassName } from "@paceline/protocol";
import type { Link, LinkCounters, LinkHandlers, LinkKind, LinkState } from "@paceline/transport";
import type { RelayCounters } from "./relay-counters.js";
import type { SessionMeter } from "./session-meter.js";

/** Who owns the socket under a link. */
export interface LinkOwner {
  /** Something is about to be sent. */
  sending(): void;
  /** The link ends, from this side or the other; may be called more than once. */
  closing(code: number): void;
}

/** A link whose packets are measured before the session sees them, and whose end is known to who owns its socket. */
export class GuardedLink implements Link {
  readonly #link: Link;
  readonly #counters: RelayCounters | undefined;
  readonly #owner: LinkOwner | undefined;
  #meter: SessionMeter | undefined;

  constructor(link: Link, owner?: LinkOwner, counters?: RelayCounters) {
    this.#link = link;
    this.#counters = counters;
    this.#owner = owner;
  }

  get kind(): LinkKind {
    return this.#link.kind;
  }

  get state(): LinkState {
    return this.#link.state;
  }

  get isUnreliable(): boolean {
    return this.#link.isUnreliable;
  }

  get counters(): Readonly<LinkCounters> {
    return this.#link.counters;
  }

  get queuedBytes(): number {
    return this.#link.queuedBytes;
  }

  /** What measures the packets: the participant's, set when the link is given to it. */
  get meter(): SessionMeter | undefined {
    return this.#meter;
  }

  /** Begins to measure. Called before `start`. */
  measure(meter: SessionMeter): void {
    this.#meter = meter;
  }

  start(handlers: LinkHandlers): void {
    this.#link.start({
      onOpen: () => handlers.onOpen(),
      onPacket: (packet) => {
        this.#counters?.packetReceived(this.kind, packet.length);
        if (this.#meter?.admitPacket(packet.length) !== false) handlers.onPacket(packet);
      },
      onClose: (close) => {
        this.#owner?.closing(close.code);
        handlers.onClose(close);
      },
    });
  }

  send(trafficClass: TrafficClassName, packet: Uint8Array, key?: number): void {
    this.#owner?.sending();
    this.#counters?.packetSent(this.kind, trafficClass, packet.length);
    this.#link.send(trafficClass, packet, key);
  }

  close(code: number, reason: string): void {
    if (this.#link.state === "closed") return;
    this.#link.close(code, reason);
    this.#owner?.closing(code);
  }
}
