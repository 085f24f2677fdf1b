import {
  RTCIceCandidate,
  RTCPeerConnection as Polyfill,
  RTCSessionDescription,
} from "node-datachannel/polyfill";

interface Description {
  readonly type: RTCSdpType;
  readonly sdp?: string | undefined;
}

/** libdatachannel behind the browsers' interface, as far as simple-peer calls it; its types differ in places. */
interface NodeConnection {
  createDataChannel(label: string, options?: RTCDataChannelInit): RTCDataChannel;
  createOffer(): Promise<Description>;
  createAnswer(): Promise<Description>;
}

const NativeConnection = Polyfill as unknown as new (configuration?: RTCConfiguration) => NodeConnection;

/** Made to fit what simple-peer expects: names may be missing, and descriptions are changed before they are sent. */
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

/** Makes WebRTC available to this process as it is to a page. */
export function provideWebRtc(): void {
  Object.assign(globalThis, { RTCIceCandidate, RTCPeerConnection: PeerConnection, RTCSessionDescription });
}
