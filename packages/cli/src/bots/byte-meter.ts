import { NodeWebSocket, type nodeWebRtc } from "@paceline/client/node";

export type WebRtc = NonNullable<Awaited<ReturnType<typeof nodeWebRtc>>>;
type Link = ReturnType<WebRtc>;

/** Counts the payload bytes of one player in both directions, without frames and headers. */
export class ByteMeter {
  readonly #links: Link[] = [];
  #socketIn = 0;
  #socketOut = 0;
  #inBefore = 0;
  #outBefore = 0;

  /** Received bytes since the last {@link reset}. */
  get in(): number {
    return this.#totalIn() - this.#inBefore;
  }

  get out(): number {
    return this.#totalOut() - this.#outBefore;
  }

  reset(): void {
    this.#inBefore = this.#totalIn();
    this.#outBefore = this.#totalOut();
  }

  /** Returns a WebSocket class whose sockets are counted. */
  socketClass(): typeof NodeWebSocket {
    const open = (url: string, protocols: string[]): InstanceType<typeof NodeWebSocket> => {
      const socket = new NodeWebSocket(url, protocols);
      socket.addEventListener("message", ({ data }: { readonly data: unknown }) => {
        if (data instanceof ArrayBuffer || ArrayBuffer.isView(data)) this.#socketIn += data.byteLength;
      });
      const send = socket.send.bind(socket);
      socket.send = (data) => {
        this.#socketOut += data.byteLength;
        send(data);
      };
      return socket;
    };
    // With `new`, a function that returns an object gives that object.
    return function counted(url: string, protocols: string[]) {
      return open(url, protocols);
    } as unknown as typeof NodeWebSocket;
  }

  /** Wraps a maker of WebRTC links so that its links are counted. */
  linkMaker(make: WebRtc): WebRtc {
    return (options) => {
      const link = make(options);
      this.#links.push(link);
      return link;
    };
  }

  #totalIn(): number {
    return this.#links.reduce((sum, { counters }) => sum + counters.bytesReceived, this.#socketIn);
  }

  #totalOut(): number {
    return this.#links.reduce((sum, { counters }) => sum + counters.bytesSent, this.#socketOut);
  }
}
