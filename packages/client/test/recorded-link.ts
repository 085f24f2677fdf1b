import { NodeWebSocket } from "@paceline/client/node";

export interface Recorded {
  readonly link: string;
  readonly from: "server" | "participant";
  readonly hex: string;
}

/** Makes a WebSocket for `ClientOptions.webSocket` that records all messages in order. */
export function recordingWebSocket(link: string, into: Recorded[]): typeof NodeWebSocket {
  const record = (from: Recorded["from"], data: unknown): void => {
    if (data instanceof ArrayBuffer) into.push({ link, from, hex: Buffer.from(data).toString("hex") });
    else if (ArrayBuffer.isView(data)) {
      const { buffer, byteOffset, byteLength } = data;
      into.push({ link, from, hex: Buffer.from(buffer, byteOffset, byteLength).toString("hex") });
    }
  };
  return class extends NodeWebSocket {
    constructor(url: string, protocols?: string[]) {
      super(url, protocols);
      this.addEventListener("message", (event: { data: unknown }) => record("server", event.data));
    }

    override send(data: Parameters<InstanceType<typeof NodeWebSocket>["send"]>[0]): void {
      record("participant", data);
      super.send(data);
    }
  };
}
