import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { rival } from "../../room/rivals.js";
import type { Connected, ConnectSystem } from "../system.js";

/** The used part of geckos.io's channel. */
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

/** Geckos.io with its defaults (one UDP port, unordered, no retransmission), but without a STUN server. */
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
      // Geckos.io accepts ArrayBuffers as raw messages.
      send: (bytes) => channel.raw.emit(bytes.buffer as ArrayBuffer),
      close: () => channel.close(),
    };
    channel.onRaw((bytes) => connected.onEcho?.(new Uint8Array(bytes as ArrayBuffer)));
    return connected;
  },
};

/**
 * Loads the client, which is made for browsers, with a WebRTC polyfill of the library that all systems here
 * use.
 */
async function clientModule(): Promise<ClientModule> {
  const polyfill = await rival<Record<string, unknown>>("node-datachannel/polyfill");
  const { RTCPeerConnection, RTCSessionDescription, RTCIceCandidate } = polyfill;
  Object.assign(globalThis, { RTCPeerConnection, RTCSessionDescription, RTCIceCandidate });
  return await rival<ClientModule>("@geckos.io/client");
}
