import {
  Session,
  StripeFilter,
  WebSocketLink,
  systemScheduler,
  type Link,
  type WebSocketLike,
} from "@paceline/transport";
import { WebRtcLink } from "@paceline/transport/webrtc";
import type { WebSocket } from "ws";
import type { AgeSystem } from "./systems.js";

/** One end of a stream of states. */
export interface Stream {
  send(state: Uint8Array<ArrayBuffer>, key: number): void;
}

export interface StreamOptions {
  readonly system: AgeSystem;
  readonly sockets: readonly WebSocket[];
  /** True for the side that makes the WebRTC offer. */
  readonly isReceiver: boolean;
  readonly onState: (state: Uint8Array) => void;
  /** Called when the connection is open and carries the states. */
  readonly onReady: () => void;
}

const linkOptions = {
  preference: 1,
  needsProof: false,
  connectTimeoutMs: 10_000,
  timeoutMs: 10_000,
  heartbeatMs: 1000,
};
const NAIVE_CHANNEL = { negotiated: true, id: 7, ordered: false, maxRetransmits: 0 };

export function openStream(options: StreamOptions): Stream {
  if (options.system === "websocket-naive") return naiveSocket(options);
  if (options.system === "webrtc-naive") return naiveChannel(options);
  return pacelineSession(options);
}

function naiveSocket({ sockets, onState, onReady }: StreamOptions): Stream {
  const [socket] = sockets;
  socket!.on("message", (data) => onState(data as Buffer));
  onReady();
  return { send: (state) => socket!.send(state) };
}

function pacelineSession(options: StreamOptions): Stream {
  const session = new Session({
    scheduler: systemScheduler,
    handlers: {
      onReliable: () => undefined,
      onState: options.onState,
      onActiveLink: (link) => {
        if (link) options.onReady();
      },
    },
  });
  session.attach(linkFor(options), linkOptions);
  return { send: (state, key) => void session.sendState(state, key) };
}

function linkFor({ system, sockets, isReceiver }: StreamOptions): Link {
  const [first] = sockets;
  if (system === "webrtc-unreliable") {
    const link = new WebRtcLink({
      scheduler: systemScheduler,
      isInitiator: isReceiver,
      iceServers: [],
      onSignal: (data) => first!.send(JSON.stringify(data)),
    });
    first!.on("message", (data) => link.signal(JSON.parse((data as Buffer).toString())));
    return link;
  }
  const [main, ...others] = sockets.map(
    (socket) => new WebSocketLink(socket as WebSocketLike, { scheduler: systemScheduler }),
  );
  if (others.length === 0) return main!;
  const stripes = new StripeFilter({ scheduler: systemScheduler, first: main! });
  for (const stripe of others) stripes.add(stripe);
  return main!;
}

interface NaiveSignal {
  readonly candidate?: RTCIceCandidateInit;
  readonly description?: RTCSessionDescriptionInit;
}

/** A data channel that sends every state at once, as most examples do. */
function naiveChannel({ sockets, isReceiver, onState, onReady }: StreamOptions): Stream {
  const [socket] = sockets;
  const connection = new RTCPeerConnection();
  const channel = connection.createDataChannel("naive", NAIVE_CHANNEL);
  channel.binaryType = "arraybuffer";
  channel.addEventListener("open", onReady);
  channel.addEventListener("message", ({ data }) => onState(new Uint8Array(data as ArrayBuffer)));
  const tell = (message: object) => socket!.send(JSON.stringify(message));
  connection.addEventListener("icecandidate", ({ candidate }) => {
    if (candidate) tell({ candidate: { candidate: candidate.candidate, sdpMid: candidate.sdpMid } });
  });
  const describe = async (description: RTCSessionDescriptionInit): Promise<void> => {
    await connection.setLocalDescription(description);
    tell({ description: { type: description.type, sdp: description.sdp } });
  };
  const early: RTCIceCandidateInit[] = [];
  let isDescribed = false;
  const take = async ({ candidate, description }: NaiveSignal): Promise<void> => {
    if (candidate && isDescribed) await connection.addIceCandidate(candidate);
    else if (candidate) early.push(candidate);
    if (!description) return;
    await connection.setRemoteDescription(description);
    isDescribed = true;
    for (const each of early.splice(0)) await connection.addIceCandidate(each);
    if (description.type === "offer") await describe(await connection.createAnswer());
  };
  // Handles signals one after the other: a candidate must wait until the description before it is applied.
  let taken = Promise.resolve();
  socket!.on("message", (data) => {
    taken = taken.then(() => take(JSON.parse((data as Buffer).toString()) as NaiveSignal));
  });
  if (isReceiver) void connection.createOffer().then(describe);
  return { send: (state) => channel.readyState === "open" && channel.send(state) };
}
