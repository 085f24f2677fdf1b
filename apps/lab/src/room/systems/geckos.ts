import { once } from "node:events";
import { createServer, type Server as HttpServer } from "node:http";
import { floatStateReader, readInput, writeFloatState, writeInput } from "../float-state.js";
import { rival } from "../rivals.js";
import { FLOAT32, type RoomSystem } from "../system.js";
import { countChannels } from "../traffic.js";

interface ServerChannel {
  readonly raw: { emit(bytes: ArrayBuffer): void };
  onRaw(listener: (bytes: ArrayBuffer) => void): void;
  onDisconnect(listener: () => void): void;
}
interface ServerModule {
  readonly default: (options: object) => {
    addServer(http: HttpServer): void;
    onConnection(listener: (channel: ServerChannel) => void): void;
  };
}
interface ClientModule {
  readonly default: (options: object) => {
    readonly raw: { emit(bytes: ArrayBuffer): void };
    onConnect(listener: (error?: Error) => void): void;
    onRaw(listener: (bytes: ArrayBuffer) => void): void;
  };
}

const CONNECT_LIMIT_MS = 10_000;

/** Geckos.io with whole states as a struct, over unreliable, unordered data channels. */
export const geckos: RoomSystem = {
  name: "geckos.io-float32",
  link: "webrtc",
  ...FLOAT32,
  packages: ["@geckos.io/server", "node-datachannel"],
  async serve({ port, world }) {
    const { default: makeServer } = await rival<ServerModule>("@geckos.io/server");
    const http = createServer();
    const server = makeServer({ iceServers: [], multiplex: true });
    server.addServer(http);
    const channels = new Set<ServerChannel>();
    server.onConnection((channel) => {
      channels.add(channel);
      channel.onDisconnect(() => channels.delete(channel));
      channel.onRaw((bytes) => {
        const { index, number } = readInput(Buffer.from(bytes));
        world.input(index, number);
      });
    });
    http.listen(port, "127.0.0.1");
    await once(http, "listening");
    return {
      publish() {
        const state = exactBuffer(writeFloatState(world));
        for (const channel of channels) channel.raw.emit(state);
      },
    };
  },
  async join({ port, index, players, onState }) {
    const polyfill = await rival<object>("node-datachannel/polyfill");
    const { RTCPeerConnection, RTCSessionDescription, RTCIceCandidate } = polyfill as Record<string, unknown>;
    Object.assign(globalThis, { RTCPeerConnection, RTCSessionDescription, RTCIceCandidate });
    const { default: connect } = await rival<ClientModule>("@geckos.io/client");
    const channel = connect({ url: "http://127.0.0.1", port, iceServers: [] });
    await new Promise<void>((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error("geckos.io did not connect")), CONNECT_LIMIT_MS);
      channel.onConnect((error) => {
        clearTimeout(limit);
        if (error) reject(error);
        else resolve();
      });
    });
    const read = floatStateReader(players);
    let [bytesIn, bytesOut] = [0, 0];
    countChannels(() => [bytesIn, bytesOut]);
    channel.onRaw((bytes) => {
      bytesIn += bytes.byteLength;
      onState(read(Buffer.from(bytes)));
    });
    return {
      sendInput(number) {
        const input = exactBuffer(writeInput(number, index));
        bytesOut += input.byteLength;
        channel.raw.emit(input);
      },
    };
  },
};

/** Copies the bytes: small Buffers share a pool. */
function exactBuffer(bytes: Buffer): ArrayBuffer {
  return Uint8Array.from(bytes).buffer;
}
