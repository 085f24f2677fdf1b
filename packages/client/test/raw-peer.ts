import {
  ByteWriter,
  MessageKind,
  PROTOCOL_VERSION,
  PayloadKind,
  WEBSOCKET_PROTOCOL,
  readEnvelope,
  readMessages,
  readPacket,
  readServerMessage,
  writeEnvelope,
  writeMessage,
  writePacketHeader,
  writePeerPayload,
  type Envelope,
  type PeerPayload,
} from "@paceline/protocol";
import { Session, WebSocketLink, systemScheduler } from "@paceline/transport";
import { NodeWebSocket } from "@paceline/transport/node";
import type { GameServer } from "./game-server.js";
import { until } from "./until.js";

/** A participant whose packets a test writes by hand, valid or not. */
export class RawPeer {
  readonly session: Session;
  number = 0;
  packetsReceived = 0;
  readonly closes: { readonly from: number; readonly code: number }[] = [];
  #sequence = 0;
  #decision = 0;
  readonly #nextIds = new Map<number, number>();

  private constructor() {
    this.session = new Session({
      scheduler: systemScheduler,
      handlers: {
        onReliable: (payload) => {
          if (payload[0] !== PayloadKind.control) return;
          const message = readServerMessage(payload.subarray(1));
          if (message?.type === "welcome") this.number = message.number;
        },
        onRouted: (packet) => {
          const envelope = readEnvelope(packet);
          if (typeof envelope === "string") return;
          this.packetsReceived += 1;
          this.#noticeClose(envelope);
        },
      },
    });
  }

  static async join(server: GameServer, roomName = "race"): Promise<RawPeer> {
    const response = await fetch(`${server.url}/match/joinOrCreate/${roomName}`, {
      method: "POST",
      body: JSON.stringify({ version: PROTOCOL_VERSION, options: {}, webrtc: false }),
    });
    const { ticket, linkPath } = (await response.json()) as { ticket: string; linkPath: string };
    const peer = new RawPeer();
    const url = server.url.replace("http", "ws") + linkPath;
    const socket = new NodeWebSocket(url, [WEBSOCKET_PROTOCOL, `ticket.${ticket}`]);
    peer.session.attach(new WebSocketLink(socket, { scheduler: systemScheduler }), {
      preference: 1,
      needsProof: false,
      connectTimeoutMs: 4000,
      timeoutMs: 5000,
      heartbeatMs: 1000,
    });
    await until("the raw peer's welcome", () => peer.number > 0);
    return peer;
  }

  #noticeClose({ peers, packet }: Envelope): void {
    const read = readPacket(packet);
    const messages = typeof read === "string" ? read : readMessages(read, () => undefined);
    if (typeof messages === "string") return;
    for (const { kind, body } of messages) {
      if (kind === MessageKind.close) this.closes.push({ from: peers[0]!, code: body[0]! + 256 * body[1]! });
    }
  }

  /** Sends any bytes as a packet to another participant. */
  sendPacket(to: number, packet: Uint8Array): void {
    const writer = new ByteWriter();
    writeEnvelope(writer, { trafficClass: "command", key: 0, peers: [to], packet });
    this.session.activeLink?.send("command", writer.take());
  }

  /** Sends a packet with one message of any kind and body. */
  sendMessage(to: number, kind: MessageKind, body: Uint8Array, { isPublished = false, tick = 0 } = {}): void {
    const writer = new ByteWriter();
    const sequence = isPublished ? this.#decision++ : this.#sequence++;
    writePacketHeader(writer, { sequence, tick, isPublished });
    writeMessage(writer, kind, body);
    this.sendPacket(to, writer.take());
  }

  /** Sends a reliable message with any bytes as its payload. */
  sendReliable(to: number, payload: Uint8Array): void {
    const id = this.#nextIds.get(to) ?? 0;
    this.#nextIds.set(to, id + 1);
    this.sendMessage(to, MessageKind.reliable, new ByteWriter().u16(id).bytes(payload).take());
  }

  send(to: number, payload: PeerPayload): void {
    this.sendReliable(to, writePeerPayload(payload));
  }

  sendState(to: number, body: Uint8Array, tick: number): void {
    this.sendMessage(to, MessageKind.state, body, { isPublished: true, tick });
  }

  leave(): void {
    this.session.close(4000, "left");
  }
}
