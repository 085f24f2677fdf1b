import { subscribe } from "node:diagnostics_channel";
import type { Socket } from "node:net";

/** Bytes that this process has received and sent since its start. */
export interface Traffic {
  readonly tcpIn: number;
  readonly tcpOut: number;
  /** Payloads of data channels, without the headers of SCTP, DTLS and UDP. */
  readonly channelIn: number;
  readonly channelOut: number;
}

const sockets = new Set<Socket>();
let closedIn = 0;
let closedOut = 0;
const channels: (() => readonly [number, number])[] = [];

/** Counts the bytes of all sockets that this process opens from here on. */
export function countSockets(): void {
  subscribe("net.client.socket", (message) => {
    const { socket } = message as { readonly socket: Socket };
    sockets.add(socket);
    socket.once("close", () => {
      sockets.delete(socket);
      closedIn += socket.bytesRead;
      closedOut += socket.bytesWritten;
    });
  });
}

/** Adds a reader of data channel bytes, which go through no socket of Node. */
export function countChannels(read: () => readonly [bytesIn: number, bytesOut: number]): void {
  channels.push(read);
}

export function traffic(): Traffic {
  let tcpIn = closedIn;
  let tcpOut = closedOut;
  for (const { bytesRead, bytesWritten } of sockets) {
    tcpIn += bytesRead;
    tcpOut += bytesWritten;
  }
  let [channelIn, channelOut] = [0, 0];
  for (const read of channels) {
    const [bytesIn, bytesOut] = read();
    channelIn += bytesIn;
    channelOut += bytesOut;
  }
  return { tcpIn, tcpOut, channelIn, channelOut };
}
