import { NodeWebSocket } from "@paceline/client/node";

/** Bytes of payloads in both directions, without frames and headers. */
export interface ByteCount {
  in: number;
  out: number;
}

/** A WebSocket class that counts what goes through its sockets. */
export function countingSocket(count: ByteCount): typeof NodeWebSocket {
  const counted = function open(url: string, protocols: string[]): InstanceType<typeof NodeWebSocket> {
    const socket = new NodeWebSocket(url, protocols);
    socket.addEventListener("message", ({ data }: { readonly data: unknown }) => {
      if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) count.in += data.byteLength;
    });
    const send = socket.send.bind(socket);
    socket.send = (data) => {
      count.out += data.byteLength;
      send(data);
    };
    return socket;
  };
  // Called with `new`, a function that returns an object gives that.
  return counted as unknown as typeof NodeWebSocket;
}
