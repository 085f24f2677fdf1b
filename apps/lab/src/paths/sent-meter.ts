import { NodeWebSocket, type nodeWebRtc } from "@paceline/client/node";

type WebRtc = NonNullable<Awaited<ReturnType<typeof nodeWebRtc>>>;

/** Counts what players give to their sockets and data channels: payloads, without frames and headers. */
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

  /** A WebSocket class whose sockets are counted. */
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
    // Called with `new`, as a page calls its WebSocket.
    return function socket(url: string, protocols: string[]) {
      return open(url, protocols);
    };
  }

  /** Wraps a maker of links, so that all of them are counted. */
  counted(webRtc: WebRtc): WebRtc {
    return (options) => {
      const link = webRtc(options);
      this.#links.push(link);
      return link;
    };
  }
}
