import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rival } from "../room/rivals.js";
import type { Connected, ConnectSystem } from "./system.js";

/** The used part of its interface. */
interface Channel {
  onRaw(listener: (bytes: ArrayBuffer | Uint8Array) => void): void;
  readonly raw: { emit(bytes: ArrayBuffer | Uint8Array): void };
  close(): void;
}
interface ServerModule {
  readonly default: (options: object) => {
    addServer(http: object): void;
    onConnection(listener: (channel: Channel) => void): void;
  };
}
interface ClientModule {
  readonly default: (options: object) => Channel & { onConnect(listener: (error?: Error) => void): void };
}

/** Its defaults: one UDP port, unordered, no retransmission; and no STUN server, which nobody needs here. */
export const geckosIo: ConnectSystem = {
  async serve(host) {
    const { default: geckos } = await rival<ServerModule>("@geckos.io/server");
    const http = createServer();
    const io = geckos({ iceServers: [], bindAddress: host });
    io.addServer(http);
    io.onConnection((channel) => channel.onRaw((bytes) => channel.raw.emit(bytes)));
    http.listen(0, host);
    await once(http, "listening");
    return `http://${host}:${(http.address() as AddressInfo).port}`;
  },

  async connect(address) {
    const { default: geckos } = await clientModule();
    const { protocol, hostname, port } = new URL(address);
    const channel = geckos({ url: `${protocol}//${hostname}`, port: Number(port), iceServers: [] });
    await new Promise<void>((resolve, reject) => {
      channel.onConnect((error) => (error ? reject(error) : resolve()));
    });
    const connected: Connected = {
      onEcho: undefined,
      // It takes ArrayBuffers as raw messages.
      send: (bytes) => channel.raw.emit(bytes.buffer as ArrayBuffer),
      close: () => channel.close(),
    };
    channel.onRaw((bytes) => connected.onEcho?.(new Uint8Array(bytes as ArrayBuffer)));
    return connected;
  },
};

/** Its client is made for browsers; in Node the same library as everywhere here stands in for their WebRTC. */
async function clientModule(): Promise<ClientModule> {
  const polyfill = await rival<Record<string, unknown>>("node-datachannel/polyfill");
  const { RTCPeerConnection, RTCSessionDescription, RTCIceCandidate } = polyfill;
  Object.assign(globalThis, { RTCPeerConnection, RTCSessionDescription, RTCIceCandidate });
  return await rival<ClientModule>("@geckos.io/client");
}
