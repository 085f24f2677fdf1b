import { NodeWebSocket, type nodeWebRtc } from "@paceline/client/node";

type WebRtc = NonNullable<Awaited<ReturnType<typeof nodeWebRtc>>>;

/** Counts the payloads that players send on sockets and data channels, without frames and headers. */
export class SentMeter {
  readonly #links: ReturnType<WebRtc>[] = [];
  #socketBytes = 0;
  #socketPackets = 0;

  get totals(): { readonly bytes: number; readonly packets: number } {
    let [bytes, packets] = [this.#socketBytes, this.#socketPackets];
    for (const { counters } of this.#links) {
      bytes += counters.bytesSent;
      packets += counters.packetsSent;
    }
    return { bytes, packets };
  }

  /** Returns a WebSocket class that counts what its sockets send. */
  socketClass(): unknown {
    const open = (url: string, protocols: string[]): InstanceType<typeof NodeWebSocket> => {
      const socket = new NodeWebSocket(url, protocols);
      const send = socket.send.bind(socket);
      socket.send = (data) => {
        this.#socketBytes += data.byteLength;
        this.#socketPackets += 1;
        send(data);
      };
      return socket;
    };
    // The client calls it with `new`.
    return function socket(url: string, protocols: string[]) {
      return open(url, protocols);
    };
  }

  /** Returns a link maker that counts what its links send. */
  counted(webRtc: WebRtc): WebRtc {
    return (options) => {
      const link = webRtc(options);
      this.#links.push(link);
      return link;
    };
  }
}
