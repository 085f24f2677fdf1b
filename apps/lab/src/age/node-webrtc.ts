import {
  RTCIceCandidate,
  RTCPeerConnection as Polyfill,
  RTCSessionDescription,
} from "node-datachannel/polyfill";

interface Description {
  readonly type: RTCSdpType;
  readonly sdp?: string | undefined;
}

/**
 * The part of the browsers' interface that simple-peer calls. The types of libdatachannel's polyfill differ
 * from it.
 */
interface NodeConnection {
  createDataChannel(label: string, options?: RTCDataChannelInit): RTCDataChannel;
  createOffer(): Promise<Description>;
  createAnswer(): Promise<Description>;
}

const NativeConnection = Polyfill as unknown as new (configuration?: RTCConfiguration) => NodeConnection;

/**
 * Adapts the polyfill to simple-peer, which omits names of channels and changes descriptions before it sends
 * them.
 */
class PeerConnection extends NativeConnection {
  override createDataChannel(label: string, options?: RTCDataChannelInit): RTCDataChannel {
    return super.createDataChannel(label || "main", options);
  }

  override async createOffer(): Promise<Description> {
    const { type, sdp } = await super.createOffer();
    return { type, sdp };
  }

  override async createAnswer(): Promise<Description> {
    const { type, sdp } = await super.createAnswer();
    return { type, sdp };
  }
}

/** Defines the browsers' WebRTC classes as globals of this process. */
export function provideWebRtc(): void {
  Object.assign(globalThis, { RTCIceCandidate, RTCPeerConnection: PeerConnection, RTCSessionDescription });
}
