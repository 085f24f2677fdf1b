import { Client, type ClientOptions, type Room } from "@paceline/client";
import { NodeWebSocket, nodeWebRtc } from "@paceline/client/node";
import type { TrafficClassName } from "@paceline/protocol";
import type { SignalledLink, WebRtcLinkMaker } from "@paceline/transport";
import { Car, Drive } from "./scene.js";

/** All that one honest client has written to one WebSocket, in order. */
interface SocketCapture {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly frames: Uint8Array[];
}

/** One packet that an honest client has given to a data channel. */
interface ChannelCapture {
  readonly trafficClass: TrafficClassName;
  readonly packet: Uint8Array;
}

/** One request of an honest client over HTTP. */
interface RequestCapture {
  readonly path: string;
  readonly body: string;
}

/** Honest clients' packets to the running build. */
export interface Captures {
  readonly sockets: readonly SocketCapture[];
  readonly channels: readonly ChannelCapture[];
  readonly requests: readonly RequestCapture[];
  /** Descriptions and candidates of WebRTC. */
  readonly signals: readonly unknown[];
}

const RECORDED_MS = 1200;
const STEP_MS = 25;
const CHANNEL_LIMIT_MS = 5000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

class Recorder {
  readonly sockets: SocketCapture[] = [];
  readonly channels: ChannelCapture[] = [];
  readonly requests: RequestCapture[] = [];
  readonly signals: unknown[] = [];

  get webSocket(): typeof NodeWebSocket {
    const { sockets } = this;
    return class extends NodeWebSocket {
      readonly #frames: Uint8Array[] = [];
      constructor(url: string, protocols: string[] = []) {
        super(url, protocols);
        sockets.push({ url, protocols, frames: this.#frames });
      }
      override send(data: Uint8Array): void {
        this.#frames.push(Uint8Array.from(data));
        super.send(data);
      }
    };
  }

  webRtc(newLink: WebRtcLinkMaker): WebRtcLinkMaker {
    return (options) => {
      const link = newLink({
        ...options,
        onSignal: (data) => {
          this.signals.push(data);
          options.onSignal(data);
        },
      });
      return recordingLink(link, this.channels);
    };
  }

  /** Until it is called again, requests go through it. */
  interceptFetch(): () => void {
    const original = globalThis.fetch;
    globalThis.fetch = (input, init) => {
      if (typeof input === "string" && typeof init?.body === "string") {
        this.requests.push({ path: new URL(input).pathname, body: init.body });
      }
      return original(input, init);
    };
    return () => (globalThis.fetch = original);
  }
}

function recordingLink(link: SignalledLink, channels: ChannelCapture[]): SignalledLink {
  return new Proxy(link, {
    get(target, key) {
      const value: unknown = Reflect.get(target, key, target);
      if (typeof value !== "function") return value;
      if (key !== "send") return value.bind(target) as unknown;
      return (trafficClass: TrafficClassName, packet: Uint8Array, ...more: [number?]) => {
        channels.push({ trafficClass, packet: Uint8Array.from(packet) });
        target.send(trafficClass, packet, ...more);
      };
    },
  });
}

/** A second of everything that the SDK can do. */
async function play(rooms: readonly Room[]): Promise<void> {
  const cars = rooms.map((room, index) => room.spawn(Car, { position: { x: index, y: 0 } }));
  for (let step = 1; step * STEP_MS < RECORDED_MS; step++) {
    for (const [index, room] of rooms.entries()) {
      cars[index]!.position.set(index * 10 + Math.sin(step) * 3, step % 50);
      if (!room.authority) room.advance();
      if (step % 4 === 0) room.send("say", [index, step, 0]);
      if (step % 5 === 0) room.sendEvent("beep", { step, text: "on" });
      if (step === 10) room.send("long", "x".repeat(6000), { class: "bulk" });
      const to = room.authority ?? room.peers[0];
      if (step % 16 === 0 && to) room.request("ask", step, to, 300).catch(() => undefined);
      if (room.authority) room.input(Drive).steer = Math.sin(step);
    }
    await sleep(STEP_MS);
  }
  rooms.forEach((room, index) => room.despawn(cars[index]!));
}

async function channelsOpened(recorder: Recorder): Promise<void> {
  for (let waitedMs = 0; waitedMs < CHANNEL_LIMIT_MS; waitedMs += STEP_MS) {
    if (recorder.channels.length > 20) return;
    await sleep(STEP_MS);
  }
}

/**
 * Records what honest clients send, in a room with and in one without an authority, over WebSockets and, where the native
 * library is there, over the data channels of a link to the server.
 */
export async function recordCaptures(url: string): Promise<Captures> {
  const recorder = new Recorder();
  const restore = recorder.interceptFetch();
  const options: ClientOptions = {
    profile: { base: "racing", exposeAddress: false },
    webSocket: recorder.webSocket,
  };
  const newLink = await nodeWebRtc();
  const overSockets = new Client(url, { ...options, transports: ["websocket"] });
  const overBoth = newLink ? new Client(url, { ...options, webRtc: recorder.webRtc(newLink) }) : overSockets;
  // A secret goes by HTTP: that request is one more thing to mutate.
  const byRequest = new Client(url, { ...options, transports: ["websocket"], authToken: "nobody" });
  const rooms: Room[] = [];
  try {
    for (const client of [overSockets, overBoth, byRequest]) {
      for (const kind of ["crowd", "arena"]) rooms.push(await client.joinOrCreate(kind));
    }
    await Promise.all([play(rooms), newLink ? channelsOpened(recorder) : undefined]);
  } finally {
    for (const room of rooms) room.leave();
    restore();
  }
  const { sockets, channels, requests, signals } = recorder;
  return { sockets: sockets.filter(({ frames }) => frames.length > 5), channels, requests, signals };
}
