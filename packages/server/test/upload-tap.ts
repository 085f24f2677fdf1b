import { MessageKind, readMessages, readPacket } from "@paceline/protocol";
import type { Link } from "@paceline/transport";

/** Sizes of a player's packets with states, at the server's end of the link. */
export class UploadTap {
  /** Bodies of states, and the packets that carried them. */
  readonly bodies: Uint8Array[] = [];
  packetBytes = 0;

  constructor(link: Link) {
    link.filters!.push({
      queuedBytes: 0,
      hasRoom: () => true,
      send: (_, packet, pass) => pass(packet),
      receive: (packet, pass) => {
        this.#read(packet);
        pass(packet);
      },
      end: (tell) => tell(),
      close: () => undefined,
    });
  }

  get bodyBytes(): number {
    return this.bodies.reduce((sum, { length }) => sum + length, 0);
  }

  reset(): void {
    this.bodies.length = 0;
    this.packetBytes = 0;
  }

  #read(bytes: Uint8Array): void {
    const packet = readPacket(bytes);
    const messages = typeof packet === "string" ? [] : readMessages(packet, () => undefined);
    if (typeof messages === "string") return;
    const states = messages.filter(({ kind }) => kind === MessageKind.state);
    this.bodies.push(...states.map(({ body }) => body));
    if (states.length > 0) this.packetBytes += bytes.length;
  }
}
