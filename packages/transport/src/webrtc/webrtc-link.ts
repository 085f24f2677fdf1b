import { CloseCode, type TrafficClassName } from "@paceline/protocol";
import type { Instance, SignalData } from "simple-peer";
import SimplePeer from "simple-peer/simplepeer.min.js";
import type { LinkRoute, SignalledLink, WebRtcLinkOptions } from "../signalled-link.js";
import { PathLink } from "../path-link.js";
import { channelOf, highWaterBytes } from "./channel-limits.js";
import { channelInit, dataChannels, type DataChannelName } from "./channels.js";
import { selectedRoute } from "./selected-route.js";

/** Limit of signals that wait for {@link WebRtcLink.start}. An offer and its candidates are about twenty. */
const EARLY_SIGNALS = 64;
/** Limit of packets that wait until the last channels open here. The other side may be ready a moment earlier. */
const EARLY_PACKETS = 64;

/** A direct link to another browser. simple-peer handles the offer, the answer and the candidates. */
export class WebRtcLink extends PathLink implements SignalledLink {
  readonly kind = "webrtc";
  readonly isUnreliable = true;
  readonly #options: WebRtcLinkOptions;
  readonly #channels = new Map<DataChannelName, RTCDataChannel>();
  readonly #earlySignals: unknown[] = [];
  readonly #earlyPackets: Uint8Array[] = [];
  #peer: Instance | undefined;
  route: LinkRoute | undefined;
  hint: string | undefined;

  constructor(options: WebRtcLinkOptions) {
    super(options.scheduler);
    this.#options = options;
  }

  /**
   * Takes a signal from the other side's `onSignal`. The signal is untrusted: an error in it only ends this
   * link.
   */
  signal(data: unknown): void {
    if (this.state === "closed") return;
    if (!this.#peer) {
      if (this.#earlySignals.length < EARLY_SIGNALS) this.#earlySignals.push(data);
      return;
    }
    try {
      this.#peer.signal(data as SignalData);
    } catch (error) {
      this.ended(CloseCode.refused, `signal refused: ${String(error)}`);
    }
  }

  protected override connect(): void {
    // Later than `start`, because an error of WebRTC closes the link here.
    this.scheduler.after(0, () => this.#connect());
  }

  protected pathBytes(): number {
    let bytes = 0;
    for (const channel of this.#channels.values()) bytes += channel.bufferedAmount;
    return bytes;
  }

  /**
   * Returns true if the path has room. Bulk waits for all channels, because they share one congestion window.
   */
  protected pathHasRoom(trafficClass: TrafficClassName): boolean {
    const name = channelOf(trafficClass);
    const bytes = name === "bulk" ? this.pathBytes() : (this.#channels.get(name)?.bufferedAmount ?? 0);
    return bytes < highWaterBytes[name];
  }

  protected transmit(trafficClass: TrafficClassName, packet: Uint8Array): boolean {
    const channel = this.#channels.get(channelOf(trafficClass));
    channel?.send(packet as Uint8Array<ArrayBuffer>);
    return channel !== undefined;
  }

  protected override shut(): void {
    this.#peer?.destroy();
  }

  #connect(): void {
    if (this.state === "closed") return;
    try {
      const peer = new SimplePeer({
        initiator: this.#options.isInitiator,
        channelConfig: dataChannels.command.init,
        config: {
          iceServers: [...this.#options.iceServers] as RTCIceServer[],
          iceTransportPolicy: this.#options.iceTransportPolicy ?? "all",
        },
      });
      this.#peer = peer;
      peer.on("signal", (data) => this.#options.onSignal(data));
      peer.on("error", (error: Error) => this.ended(CloseCode.timeout, error.message));
      peer.on("close", () => this.ended(CloseCode.left, "closed by the other side"));
      const { _pc: connection, _channel: commandChannel } = internalsOf(peer);
      connection.addEventListener("icecandidateerror", (event) => this.#noteError(event));
      this.#watchRoute(peer, connection);
      // In this turn, before the negotiation begins. The other side creates the same channels with the same
      // ids.
      this.#adopt("command", commandChannel);
      for (const name of ["state", "event", "reference", "bulk"] as const)
        this.#adopt(
          name,
          connection.createDataChannel(name, channelInit(name, this.#options.eventLifetimeMs)),
        );
      peer.on("data", (chunk: Uint8Array) => this.#receive(chunk));
    } catch (error) {
      this.ended(CloseCode.refused, `WebRTC refused: ${String(error)}`);
      return;
    }
    for (const data of this.#earlySignals.splice(0)) this.signal(data);
  }

  #adopt(name: DataChannelName, channel: RTCDataChannel): void {
    channel.bufferedAmountLowThreshold = highWaterBytes[name] / 2;
    channel.addEventListener("bufferedamountlow", () => this.drained());
    this.#channels.set(name, channel);
    // simple-peer's own event is later, because it reads statistics first.
    channel.addEventListener("open", () => this.#openIfReady());
    if (name === "command") return; // simple-peer listens to its messages itself.
    channel.binaryType = "arraybuffer";
    channel.addEventListener("message", ({ data }: MessageEvent<unknown>) => {
      if (data instanceof ArrayBuffer) this.#receive(new Uint8Array(data));
    });
    channel.addEventListener("close", () => this.ended(CloseCode.left, `channel ${name} closed`));
  }

  #openIfReady(): void {
    if (this.state !== "connecting") return;
    for (const { readyState } of this.#channels.values()) if (readyState !== "open") return;
    if (this.#peer) this.#findRoute(this.#peer);
    this.opened();
    for (const packet of this.#earlyPackets.splice(0)) this.#receive(packet);
  }

  /** Finds the route as soon as ICE is connected, which is some round trips before the channels are open. */
  #watchRoute(peer: Instance, connection: RTCPeerConnection): void {
    connection.addEventListener("iceconnectionstatechange", () => {
      if (connection.iceConnectionState !== "connected") return;
      this.#findRoute(peer);
      // ICE may change to a better pair of candidates, or to the only one left.
      const transport = connection.sctp?.transport?.iceTransport;
      transport?.addEventListener("selectedcandidatepairchange", () => this.#findRoute(peer));
    });
  }

  #findRoute(peer: Instance): void {
    const { _pc: connection } = internalsOf(peer);
    if (this.state === "closed") return;
    void selectedRoute(connection).then((route) => (this.route = route ?? this.route));
  }

  /** Stores the error of a TURN server: 401 is a wrong password, 701 no answer. */
  #noteError({ url, errorCode, errorText }: RTCPeerConnectionIceErrorEvent): void {
    if (!/^turns?:/.test(url)) return;
    this.hint = `TURN server ${url.split("?")[0]}: ${errorCode} ${errorText}`.trim();
  }

  #receive(packet: Uint8Array): void {
    if (this.state !== "connecting") this.received(packet);
    else if (this.#earlyPackets.length < EARLY_PACKETS) this.#earlyPackets.push(packet);
  }
}

/**
 * Private fields of simple-peer. It offers only one channel, so that the link creates the others on its
 * connection.
 */
interface SimplePeerInternals {
  readonly _pc: RTCPeerConnection;
  readonly _channel: RTCDataChannel;
}

function internalsOf(peer: Instance): SimplePeerInternals {
  return peer as unknown as SimplePeerInternals;
}
