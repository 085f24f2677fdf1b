import { CloseCode, type TrafficClassName } from "@paceline/protocol";
import { routeOf, type LinkRoute } from "../link-route.js";
import { PathLink } from "../path-link.js";
import type { SignalledLink, WebRtcLinkOptions } from "../signalled-link.js";
import { channelOf, highWaterBytes } from "../webrtc/channel-limits.js";
import { channelInit, dataChannels, type DataChannelName } from "../webrtc/channels.js";
import { nativeIceServers } from "./native-ice-servers.js";
import {
  countNativeConnection,
  type NativeChannel,
  type NativeConnection,
  type NativeWebRtc,
} from "./native-webrtc.js";
import { readRemoteSignal, type RemoteSignal } from "./remote-description.js";

/** Options of a {@link NodeWebRtcLink}. */
export interface NodeWebRtcLinkOptions extends WebRtcLinkOptions {
  readonly native: NativeWebRtc;
  /** One UDP port for all links of the process; below 32768, where outgoing connections do not take it away. */
  readonly udpPort?: number;
  /** Address to bind to. Default: all. */
  readonly bindAddress?: string;
  /** Address to name in candidates in place of this machine's own: that of the NAT in front of it. */
  readonly announcedAddress?: string;
  /** Whether to try a candidate with this address, an IPv4 or IPv6 one. Default: all are tried. */
  permitsCandidate?(address: string): boolean;
  /** The other side sent what no honest one sends; it is dropped, and this link goes on. */
  onBadSignal?(): void;
}

/** Candidates of the other side that are tried; a browser has two to ten. */
const MAX_CANDIDATES = 24;
/** Signals that wait for {@link NodeWebRtcLink.start}. */
const EARLY_SIGNALS = 64;
/** The largest message that is taken: a packet and the envelope around it. */
const MAX_MESSAGE_BYTES = 17_000;
/** Between looks at channels of which not all are open yet. */
const OPEN_POLL_MS = 2;
let count = 0;

/**
 * A WebRTC link of Node, over the native library: of a server, which answers, or of a headless client. Every call into
 * the library may throw and none of it gets out: a peer that misbehaves ends its own link and nothing else.
 */
export class NodeWebRtcLink extends PathLink implements SignalledLink {
  readonly kind = "webrtc";
  readonly isUnreliable = true;
  readonly #options: NodeWebRtcLinkOptions;
  readonly #channels = new Map<DataChannelName, NativeChannel>();
  /** Channels that had no room once. */
  readonly #congested = new Set<DataChannelName>();
  readonly #earlySignals: unknown[] = [];
  /** Candidates of this side that wait for the answer. */
  readonly #heldSignals: unknown[] = [];
  readonly #earlyCandidates: { readonly candidate: string; readonly mid: string }[] = [];
  #connection: NativeConnection | undefined;
  #hasDescription = false;
  #candidates = 0;
  #route: LinkRoute | undefined;

  constructor(options: NodeWebRtcLinkOptions) {
    super(options.scheduler);
    this.#options = options;
  }

  get route(): LinkRoute | undefined {
    return this.#route;
  }

  /** The library does not say. */
  get hint(): undefined {
    return undefined;
  }

  /** Takes what the other side's `onSignal` gave. Untrusted: what makes no sense is dropped. */
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

  /** Bulk waits for all channels: they share one congestion window. */
  protected pathHasRoom(trafficClass: TrafficClassName): boolean {
    const name = channelOf(trafficClass);
    const channel = this.#channels.get(name);
    if (!channel) return true;
    const bytes = name === "bulk" ? this.pathBytes() : bufferedBytes(channel);
    if (bytes < highWaterBytes[name]) return true;
    if (!this.#congested.has(name)) this.#tellWhenLow(name, channel);
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
    // Not from inside one of its own calls, where closing waits for itself.
    this.scheduler.after(0, () => {
      try {
        connection?.close();
      } catch {
        // Closed already.
      }
    });
  }

  #connect(): void {
    if (this.state === "closed") return;
    this.#guarded(() => {
      const connection = this.#newConnection();
      const isClosedByLibrary = countNativeConnection();
      this.#connection = connection;
      connection.onLocalDescription((sdp, type) => this.#tell({ type, sdp: beginningDtls(sdp) }));
      connection.onLocalCandidate((candidate, mid) => this.#tellCandidate(candidate, mid));
      connection.onStateChange((state) => {
        if (state === "closed") isClosedByLibrary();
        // "disconnected" may pass: whether the link still carries anything, pings tell sooner.
        if (state === "failed") this.ended(CloseCode.timeout, "ICE found no path, or lost it");
        else if (state === "closed") this.ended(CloseCode.left, "closed by the other side");
      });
      // Channels that are made before the offer is there would make the library offer, too.
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
    for (const data of this.#heldSignals.splice(0)) this.#tell(data);
    for (const { candidate, mid } of this.#earlyCandidates.splice(0)) this.#addCandidate(candidate, mid);
  }

  #takeCandidate({ candidate, mid, address }: RemoteSignal & { type: "candidate" }): void {
    this.#candidates += 1;
    if (this.#candidates > MAX_CANDIDATES) return this.#options.onBadSignal?.();
    if (this.#options.permitsCandidate?.(address) === false) return;
    // The library throws where the description is not there yet.
    if (this.#hasDescription) this.#addCandidate(candidate, mid);
    else this.#earlyCandidates.push({ candidate, mid });
  }

  #addCandidate(candidate: string, mid: string): void {
    if (this.state === "closed") return;
    try {
      this.#connection?.addRemoteCandidate(candidate, mid);
    } catch {
      // One that it does not understand, or the connection closes just now: others may do.
      this.#options.onBadSignal?.();
    }
  }

  #makeChannels(): void {
    for (const name of Object.keys(dataChannels) as DataChannelName[]) {
      const { ordered = true, ...rest } = channelInit(name, this.#options.eventLifetimeMs);
      const channel = this.#connection?.createDataChannel(name, { ...rest, unordered: !ordered });
      if (channel) this.#adopt(name, channel);
    }
    // All open in the same moment.
    this.#channels.get("state")?.onOpen(() => this.#openIfReady());
  }

  /** Sets few listeners: every one costs at every wake-up of Node, whether it is called or not. */
  #adopt(name: DataChannelName, channel: NativeChannel): void {
    this.#channels.set(name, channel);
    channel.onMessage((message) => this.#receive(message));
    channel.onClosed(() => this.ended(CloseCode.left, `channel ${name} closed`));
  }

  /** From the first time that it has no room; until the library says so, the owner asks. */
  #tellWhenLow(name: DataChannelName, channel: NativeChannel): void {
    this.#congested.add(name);
    try {
      channel.setBufferedAmountLowThreshold(highWaterBytes[name] / 2);
      channel.onBufferedAmountLow(() => this.drained());
    } catch {
      // It closes just now, and says so itself.
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
      if (pair) this.#route = routeOf(candidateOf(pair.local), candidateOf(pair.remote));
    });
    this.opened();
  }

  #receive(message: string | Uint8Array | ArrayBuffer): void {
    // The other side may be quicker than the news that this one is open.
    if (this.state === "connecting") this.#openIfReady();
    if (this.state === "open") this.received(packetOf(message));
  }

  #tell(data: unknown): void {
    if (this.state !== "closed") this.#options.onSignal(data);
  }

  #tellCandidate(text: string, mid: string): void {
    const { announcedAddress } = this.#options;
    const candidate =
      announcedAddress === undefined
        ? text.replace(/^a=/, "")
        : text.replace(/^(?:a=)?(candidate:\S+ \d+ \S+ \d+) \S+/, `$1 ${announcedAddress}`);
    const data = { type: "candidate", candidate: { candidate, sdpMid: mid, sdpMLineIndex: 0 } };
    // A path that is found while the library still takes the answer fails: it has nothing yet to know the other by.
    if (this.#options.isInitiator && !this.#hasDescription) this.#heldSignals.push(data);
    else this.#tell(data);
  }

  /** An error of the library ends this link. */
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
 * The side that offers begins DTLS. ICE tells it last of the path: what the other side says before that finds nobody. And
 * this library says again only after a second what was lost, a browser after 50 ms; the side that begins repeats the most.
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

/** Text is no packet. It becomes an empty one, which is counted and refused like any other malformed packet. */
function packetOf(message: string | Uint8Array | ArrayBuffer): Uint8Array {
  if (typeof message === "string") return new Uint8Array(0);
  if (message instanceof ArrayBuffer) return new Uint8Array(message);
  // A Buffer is not what it seems: its `slice` shares memory.
  return new Uint8Array(message.buffer, message.byteOffset, message.byteLength);
}
