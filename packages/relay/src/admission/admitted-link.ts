import { MessageKind, readMessages, readPacket, type TrafficClassName } from "@paceline/protocol";
import { WebSocketLink, type Link, type LinkGuard } from "@paceline/transport";
import { FramedLink } from "@paceline/transport/node";
import type { RelayCounters, TrafficCount } from "../ops/relay-counters.js";
import type { SessionMeter } from "../limits/session-meter.js";

/** RFC 6455, section 7.4.1: a message was larger than the socket reads. */
const MESSAGE_TOO_BIG = 1009;

/** A link that can make the other side wait. */
type PausableLink = Link & Pick<FramedLink, "pauseReading" | "resumeReading">;

function isPausable(link: Link): link is PausableLink {
  return "pauseReading" in link;
}

/** The owner of the socket under a link. */
export interface LinkOwner {
  /** Called before something is sent. */
  sending(): void;
  /** Called when either side ends the link; may be called more than once. */
  closing(code: number): void;
}

/**
 * A link that was let in. The meter counts its packets before the session gets them, and the owner of its
 * socket learns of its end. Errors that a packet causes go to the participant, because an error in the
 * socket's event would end the process.
 */
export class AdmittedLink implements LinkGuard {
  readonly link: Link;
  /** Defined if the link takes packets that are framed already. */
  readonly #framed: FramedLink | undefined;
  readonly #counters: RelayCounters | undefined;
  readonly #owner: LinkOwner | undefined;
  /** Network address of the link; empty if unknown. */
  address = "";
  /** Called before something is sent, so that frames that wait for this link go first. */
  beforeSend: (() => void) | undefined;
  /** The participant's packet meter; undefined until the participant takes the link. */
  meter: SessionMeter | undefined;
  /** Called before the first packet reaches the session. */
  onFirst: (() => void) | undefined;
  /** Called with a packet that came after the link was closed. */
  onLate: ((packet: Uint8Array) => void) | undefined;
  /** Called when a handler of the link's events throws. */
  onFault: ((error: unknown) => void) | undefined;

  constructor(link: Link, owner?: LinkOwner, counters?: RelayCounters) {
    this.link = link;
    this.#framed = link instanceof FramedLink ? link : undefined;
    this.#counters = counters;
    this.#owner = owner;
    link.guard = this;
  }

  /** True if the client has closed the link, perhaps before a session has taken it. */
  get isGone(): boolean {
    const { link } = this;
    return link.state === "closed" || (link instanceof WebSocketLink && link.hasEnded);
  }

  /**
   * Calls `fn` once: at the client's first packet, unless that ends the session, at the end of the link, or when the
   * returned function is called. Then a session may take the link.
   */
  whenHeard(fn: () => void): () => void {
    let isHeard = false;
    const heard = (): void => {
      if (isHeard) return;
      isHeard = true;
      fn();
    };
    const onPacket = (packet: Uint8Array): void => {
      if (!endsSession(packet)) heard();
    };
    this.link.start({ onOpen: () => undefined, onPacket, onClose: heard });
    return heard;
  }

  admits(packetBytes: number): boolean {
    this.#counters?.packetReceived(this.link.kind, packetBytes);
    try {
      const isAdmitted = this.meter?.admitPacket(packetBytes) !== false;
      const { onFirst } = this;
      if (!isAdmitted || !onFirst) return isAdmitted;
      this.onFirst = undefined;
      onFirst();
      return true;
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
      // The sender of a packet must not fail because of its receiver's link.
      this.failed(error);
    }
  }

  late(packet: Uint8Array): void {
    this.onLate?.(packet);
  }

  closing(code: number): void {
    try {
      this.#owner?.closing(code);
      if (code === MESSAGE_TOO_BIG) this.meter?.options.onTooLong();
    } catch (error) {
      this.failed(error);
    }
  }

  failed(error: unknown): void {
    if (!this.onFault) throw error;
    this.onFault(error);
  }

  /** False: the other side sends on however slowly its packets are read, as over WebRTC. */
  get canPause(): boolean {
    return isPausable(this.link);
  }

  /** Stops or continues to read from the link. Nothing that the other side has sent is lost. */
  setReading(isReading: boolean): void {
    if (!isPausable(this.link)) return;
    if (isReading) this.link.resumeReading();
    else this.link.pauseReading();
  }

  get takesFrames(): boolean {
    return this.#framed !== undefined;
  }

  /** Sends whole frames in one write. `sent`: their packets and bytes, by class. */
  sendFrames(frames: Uint8Array, sent: ReadonlyMap<TrafficClassName, TrafficCount>): void {
    let [packets, bytes] = [0, 0];
    for (const count of sent.values()) {
      packets += count.packets;
      bytes += count.bytes;
    }
    try {
      if (!this.#framed?.sendFrames(frames, packets, bytes)) return;
    } catch (error) {
      return this.failed(error);
    }
    for (const [trafficClass, count] of sent)
      this.#counters?.packetSent(this.link.kind, trafficClass, count.bytes, count.packets);
  }
}

function endsSession(bytes: Uint8Array): boolean {
  const packet = readPacket(bytes);
  const messages = typeof packet === "string" ? packet : readMessages(packet, () => undefined);
  return typeof messages !== "string" && messages.some(({ kind }) => kind === MessageKind.close);
}
