import type { TrafficClassName } from "@paceline/protocol";
import type { Link, LinkCounters, LinkHandlers, LinkKind, LinkState } from "@paceline/transport";
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
 * A link whose packets are measured before the session sees them, and whose end is known to who owns its socket. What a
 * packet makes the code behind it throw goes to the participant, not to the socket's event, where it would end the process.
 */
export class GuardedLink implements Link {
  readonly #link: Link;
  /** Set where it takes packets that are framed already. */
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
    this.#link = link;
    this.#framed = link instanceof FramedLink ? link : undefined;
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

  get tellsRoom(): boolean {
    return this.#link.tellsRoom === true;
  }

  get queuedBytes(): number {
    return this.#link.queuedBytes;
  }

  /** The participant's packet meter, set when the participant takes the link. */
  get meter(): SessionMeter | undefined {
    return this.#meter;
  }

  /** Begins to measure. Called before `start`. `onFault`: something was thrown that this link's events have called. */
  measure(meter: SessionMeter, onFault: (error: unknown) => void): void {
    this.#meter = meter;
    this.#onFault = onFault;
  }

  start(handlers: LinkHandlers): void {
    this.#link.start({
      onOpen: () => this.#guarded(() => handlers.onOpen()),
      onPacket: (packet) => {
        this.#counters?.packetReceived(this.kind, packet.length);
        try {
          if (this.#meter?.admitPacket(packet.length) !== false) handlers.onPacket(packet, this);
        } catch (error) {
          this.#failed(error);
        }
      },
      onClose: (close) => {
        this.#guarded(() => this.#owner?.closing(close.code));
        if (close.code === MESSAGE_TOO_BIG) this.#guarded(() => this.#meter?.reportTooLong());
        this.#guarded(() => handlers.onClose(close));
      },
      onRoom: () => this.#guarded(() => handlers.onRoom?.()),
    });
  }

  hasRoom(trafficClass: TrafficClassName): boolean {
    return this.#link.hasRoom(trafficClass);
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
      this.#counters?.packetsSent(this.kind, trafficClass, count);
    }
    try {
      this.#framed?.sendFrames(frames, packets, bytes);
    } catch (error) {
      this.#failed(error);
    }
  }

  send(trafficClass: TrafficClassName, packet: Uint8Array): void {
    this.beforeSend?.();
    this.#owner?.sending();
    this.#counters?.packetSent(this.kind, trafficClass, packet.length);
    try {
      this.#link.send(trafficClass, packet);
    } catch (error) {
      // The sender of a packet must not suffer for the link of its receiver.
      this.#failed(error);
    }
  }

  close(code: number, reason: string): void {
    if (this.#link.state === "closed") return;
    this.#link.close(code, reason);
    this.#owner?.closing(code);
  }

  #guarded(fn: () => void): void {
    try {
      fn();
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    if (!this.#onFault) throw error;
    this.#onFault(error);
  }
}
