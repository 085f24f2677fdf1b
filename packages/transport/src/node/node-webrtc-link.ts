import { CloseCode, type TrafficClassName } from "@paceline/protocol";
import type { LinkRoute, SignalledLink, WebRtcLinkOptions } from "../signalled-link.js";
import { PathLink } from "../path-link.js";
import { channelOf, highWaterBytes } from "../webrtc/channel-limits.js";
import { routeOf } from "../webrtc/selected-route.js";
import { channelInit, dataChannels, type DataChannelName } from "../webrtc/channels.js";
import {
  nativeIceServers,
  countNativeConnection,
  type NativeChannel,
  type NativeConnection,
  type NativeWebRtc,
} from "./native-webrtc.js";
import { readRemoteSignal, type RemoteSignal } from "./remote-description.js";

export interface NodeWebRtcLinkOptions extends WebRtcLinkOptions {
  readonly native: NativeWebRtc;
  /**
   * One UDP port for all links of the process. Take one below 32768: outgoing connections use those above.
   */
  readonly udpPort?: number;
  /** Address to bind to. Default: all. */
  readonly bindAddress?: string;
  /** Address for candidates instead of this machine's own: that of the NAT in front of it. */
  readonly announcedAddress?: string;
  /** Returns true if a candidate with this IPv4 or IPv6 address may be tried. Default: all are tried. */
  permitsCandidate?(address: string): boolean;
  /**
   * Called when the other side has sent a signal that no honest one sends. The signal is dropped, and the
   * link goes on.
   */
  onBadSignal?(): void;
}

/** Limit of candidates of the other side that are tried. A browser has two to ten. */
const MAX_CANDIDATES = 24;
/** Limit of signals that wait for {@link NodeWebRtcLink.start}. */
const EARLY_SIGNALS = 64;
/** The largest accepted message: a packet and its envelope. */
const MAX_MESSAGE_BYTES = 17_000;
/** Interval between checks that all channels are open, ms. */
const OPEN_POLL_MS = 2;
let count = 0;

/**
 * A WebRTC link of Node over the native library, for a server, which answers, or a headless client. Catches
 * all errors of the library: a peer that misbehaves ends its own link and nothing else.
 */
export class NodeWebRtcLink extends PathLink implements SignalledLink {
  readonly kind = "webrtc";
  readonly isUnreliable = true;
  readonly #options: NodeWebRtcLinkOptions;
  readonly #channels = new Map<DataChannelName, NativeChannel>();
  /** Channels that have been without room and have a listener for `bufferedAmountLow`. */
  readonly #congested = new Set<DataChannelName>();
  readonly #earlySignals: unknown[] = [];
  readonly #heldSignals: unknown[] = [];
  readonly #earlyCandidates: { readonly candidate: string; readonly mid: string }[] = [];
  #connection: NativeConnection | undefined;
  #hasDescription = false;
  #candidates = 0;
  route: LinkRoute | undefined;

  constructor(options: NodeWebRtcLinkOptions) {
    super(options.scheduler);
    this.#options = options;
  }

  /** Takes a signal from the other side's `onSignal`. Drops invalid ones. */
  signal(data: unknown): void {
    if (this.state === "closed") return;
    if (!this.#connection) {
      if (this.#earlySignals.length < EARLY_SIGNALS) this.#earlySignals.push(data);
      return;
    }
    const signal = readRemoteSignal(data);
    if (!signal) return this.#options.onBadSignal?.();
    if (signal.type === "ignored") return;
    if (signal.type === "candidate") return this.#takeCandidate(signal);
    this.#takeDescription(signal.sdp, signal.type);
  }

  protected override connect(): void {
    this.scheduler.after(0, () => this.#connect());
  }

  protected pathBytes(): number {
    let bytes = 0;
    if (this.state === "open") for (const channel of this.#channels.values()) bytes += bufferedBytes(channel);
    return bytes;
  }

  /**
   * Returns true if the path has room. Bulk waits for all channels, because they share one congestion window.
   */
  protected pathHasRoom(trafficClass: TrafficClassName): boolean {
    const name = channelOf(trafficClass);
    const channel = this.#channels.get(name);
    if (!channel) return true;
    const bytes = name === "bulk" ? this.pathBytes() : bufferedBytes(channel);
    if (bytes < highWaterBytes[name]) return true;
    if (!this.#congested.has(name)) this.#reportWhenLow(name, channel);
    return false;
  }

  protected transmit(trafficClass: TrafficClassName, packet: Uint8Array): boolean {
    const channel = this.#channels.get(channelOf(trafficClass));
    channel?.sendMessageBinary(packet);
    return channel !== undefined;
  }

  protected override shut(): void {
    const connection = this.#connection;
    this.#connection = undefined;
    // Closes later, because a close from inside one of the library's own calls would wait for itself.
    this.scheduler.after(0, () => {
      try {
        connection?.close();
      } catch {
        // It is closed already.
      }
    });
  }

  #connect(): void {
    if (this.state === "closed") return;
    this.#guarded(() => {
      const connection = this.#newConnection();
      const isClosedByLibrary = countNativeConnection();
      this.#connection = connection;
      connection.onLocalDescription((sdp, type) => this.#sendSignal({ type, sdp: beginningDtls(sdp) }));
      connection.onLocalCandidate((candidate, mid) => this.#sendCandidate(candidate, mid));
      connection.onStateChange((state) => {
        if (state === "closed") isClosedByLibrary();
        // "disconnected" may pass, and pings detect a dead link sooner.
        if (state === "failed") this.ended(CloseCode.timeout, "ICE found no path, or lost it");
        else if (state === "closed") this.ended(CloseCode.left, "closed by the other side");
      });
      // On the answering side the channels wait for the offer: with them the library would make an offer of
      // its own.
      if (this.#options.isInitiator) this.#makeChannels();
    });
    for (const data of this.#earlySignals.splice(0)) this.signal(data);
  }

  #newConnection(): NativeConnection {
    const { native, iceServers, iceTransportPolicy, udpPort, bindAddress } = this.#options;
    const port = udpPort === undefined ? {} : { portRangeBegin: udpPort, portRangeEnd: udpPort };
    return new native.PeerConnection(`link ${(count += 1)}`, {
      iceServers: nativeIceServers(iceServers),
      iceTransportPolicy: iceTransportPolicy ?? "all",
      maxMessageSize: MAX_MESSAGE_BYTES,
      ...port,
      ...(udpPort !== undefined && { enableIceUdpMux: true }),
      ...(bindAddress !== undefined && { bindAddress }),
    });
  }

  #takeDescription(sdp: string, type: "offer" | "answer"): void {
    const isExpected = (type === "answer") === this.#options.isInitiator && !this.#hasDescription;
    if (!isExpected) return this.#options.onBadSignal?.();
    this.#hasDescription = true;
    this.#guarded(() => {
      this.#connection?.setRemoteDescription(beginningDtls(sdp), type);
      if (type === "offer") this.#makeChannels();
    });
    for (const data of this.#heldSignals.splice(0)) this.#sendSignal(data);
    for (const { candidate, mid } of this.#earlyCandidates.splice(0)) this.#addCandidate(candidate, mid);
  }

  #takeCandidate({ candidate, mid, address }: RemoteSignal & { type: "candidate" }): void {
    this.#candidates += 1;
    if (this.#candidates > MAX_CANDIDATES) return this.#options.onBadSignal?.();
    if (this.#options.permitsCandidate?.(address) === false) return;
    // The library throws if it has no description yet.
    if (this.#hasDescription) this.#addCandidate(candidate, mid);
    else this.#earlyCandidates.push({ candidate, mid });
  }

  #addCandidate(candidate: string, mid: string): void {
    if (this.state === "closed") return;
    try {
      this.#connection?.addRemoteCandidate(candidate, mid);
    } catch {
      // The library does not understand this candidate, or the connection just closes. Other candidates may
      // work.
      this.#options.onBadSignal?.();
    }
  }

  #makeChannels(): void {
    for (const name of Object.keys(dataChannels) as DataChannelName[]) {
      const { ordered = true, ...rest } = channelInit(name, this.#options.eventLifetimeMs);
      const channel = this.#connection?.createDataChannel(name, { ...rest, unordered: !ordered });
      if (channel) this.#adopt(name, channel);
    }
    // All channels open in the same moment, so that one listener is enough.
    this.#channels.get("state")?.onOpen(() => this.#openIfReady());
  }

  /** Sets few listeners, because each costs time at every wake-up of Node, even if it is never called. */
  #adopt(name: DataChannelName, channel: NativeChannel): void {
    this.#channels.set(name, channel);
    channel.onMessage((message) => this.#receive(message));
    channel.onClosed(() => this.ended(CloseCode.left, `channel ${name} closed`));
  }

  /**
   * Listens for room on a channel, from the first time that it has none. Until then the owner polls
   * `hasRoom`.
   */
  #reportWhenLow(name: DataChannelName, channel: NativeChannel): void {
    this.#congested.add(name);
    try {
      channel.setBufferedAmountLowThreshold(highWaterBytes[name] / 2);
      channel.onBufferedAmountLow(() => this.drained());
    } catch {
      // The channel just closes, and `onClosed` reports it.
    }
  }

  #openIfReady(): void {
    if (this.state !== "connecting" || !this.#connection) return;
    if (![...this.#channels.values()].every(isOpen)) {
      this.#options.scheduler.after(OPEN_POLL_MS, () => this.#openIfReady());
      return;
    }
    this.#guarded(() => {
      const pair = this.#connection?.getSelectedCandidatePair();
      if (pair) this.route = routeOf(candidateOf(pair.local), candidateOf(pair.remote));
    });
    this.opened();
  }

  #receive(message: string | Uint8Array | ArrayBuffer): void {
    // The other side may send before this side knows that the channel is open.
    if (this.state === "connecting") this.#openIfReady();
    if (this.state === "open") this.received(packetOf(message));
  }

  #sendSignal(data: unknown): void {
    if (this.state !== "closed") this.#options.onSignal(data);
  }

  #sendCandidate(text: string, mid: string): void {
    const { announcedAddress } = this.#options;
    const candidate =
      announcedAddress === undefined
        ? text.replace(/^a=/, "")
        : text.replace(/^(?:a=)?(candidate:\S+ \d+ \S+ \d+) \S+/, `$1 ${announcedAddress}`);
    const data = { type: "candidate", candidate: { candidate, sdpMid: mid, sdpMLineIndex: 0 } };
    // Candidates wait until the library has the answer. A path that it finds earlier fails, because it cannot
    // identify the other side yet.
    if (this.#options.isInitiator && !this.#hasDescription) this.#heldSignals.push(data);
    else this.#sendSignal(data);
  }

  /** Calls a function of the library. An error of it ends this link. */
  #guarded(call: () => void): void {
    try {
      call();
    } catch (error) {
      this.ended(CloseCode.refused, `WebRTC refused: ${String(error)}`);
    }
  }
}

function bufferedBytes(channel: NativeChannel): number {
  try {
    return channel.bufferedAmount();
  } catch {
    return 0;
  }
}

/**
 * Makes the offering side begin DTLS. ICE reports the path to the offering side last, so that DTLS packets
 * from the other side would arrive too early and be lost. The side that begins repeats the most: this library
 * repeats a lost packet after a second, a browser after 50 ms.
 */
function beginningDtls(sdp: string): string {
  return sdp.replace(/^a=setup:actpass\b/m, "a=setup:active");
}

function isOpen(channel: NativeChannel): boolean {
  try {
    return channel.isOpen();
  } catch {
    return false;
  }
}

function candidateOf({ type, transportType }: { type: string; transportType: string }): {
  type: string;
  protocol: string;
} {
  const isRelay = /relay/i.test(type);
  return { type: isRelay ? "relay" : type, protocol: transportType };
}

/**
 * Converts a message to a packet. Text becomes an empty packet, which is counted and refused as malformed.
 */
function packetOf(message: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof message === "string") return new Uint8Array(0);
  if (message instanceof ArrayBuffer) return new Uint8Array(message);
  // A plain view, because `slice` of a Buffer shares memory.
  return new Uint8Array(message.buffer, message.byteOffset, message.byteLength);
}
