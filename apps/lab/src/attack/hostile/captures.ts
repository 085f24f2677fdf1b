import { Client, type ClientOptions, type Room } from "@paceline/client";
import { NodeWebSocket, nodeWebRtc } from "@paceline/client/node";
import type { TrafficClassName } from "@paceline/protocol";
import type { SignalledLink, WebRtcLinkMaker } from "@paceline/transport";
import { Car, Drive } from "../scene.js";

/** The frames that one honest client wrote to one WebSocket, in order. */
interface SocketCapture {
  readonly url: string;
  readonly protocols: readonly string[];
  readonly frames: Uint8Array[];
}

/** One packet that an honest client sent on a data channel. */
interface ChannelCapture {
  readonly trafficClass: TrafficClassName;
  readonly packet: Uint8Array;
}

interface RequestCapture {
  readonly path: string;
  readonly body: string;
}

/** Traffic of honest clients, recorded from the running build. */
export interface Captures {
  readonly sockets: readonly SocketCapture[];
  readonly channels: readonly ChannelCapture[];
  readonly requests: readonly RequestCapture[];
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

  /** Records requests to `fetch` until the returned function is called. */
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

/** Plays for about a second, using every kind of traffic that the SDK has. */
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
 * Records the traffic of honest clients in a room with an authority and in one without. They use WebSockets
 * and, if the
 * native library is installed, data channels to the server.
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
  // A client with a secret joins by HTTP, which gives one more request to mutate.
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
