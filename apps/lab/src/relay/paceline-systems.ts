import { once } from "node:events";
import { createServer } from "node:http";
import { Client } from "@paceline/client";
import { NodeWebSocket } from "@paceline/client/node";
import {
  ByteWriter,
  MessageKind,
  PayloadKind,
  WEBSOCKET_PROTOCOL,
  nextSequence,
  readEnvelope,
  readServerMessage,
  writeEnvelope,
  writeMessage,
  writePacketHeader,
  type TrafficClassName,
} from "@paceline/protocol";
import { createRelay, silentLog } from "@paceline/relay";
import { Session, WebSocketLink, systemScheduler } from "@paceline/transport";
import type { JoinOptions, RelayClient, RelaySystem } from "./system.js";

const ROOM = "relay";
const MAX_PLAYERS = 64;

/** All limits have their defaults, except those per address. */
async function serve(port: number): Promise<void> {
  const relay = createRelay({
    rooms: { [ROOM]: { maxPlayers: MAX_PLAYERS } },
    log: silentLog,
    limits: {
      matchesPerSecondPerAddress: 1000,
      matchBurstPerAddress: 1000,
      linksPerSecondPerAddress: 1000,
      linkBurstPerAddress: 1000,
    },
  });
  const server = createServer((request, response) => {
    if (!relay.handleRequest(request, response)) response.writeHead(404).end();
  });
  server.on("upgrade", (request, socket, head) => {
    if (!relay.handleUpgrade(request, socket, head)) socket.destroy();
  });
  server.listen(port, "127.0.0.1");
  await once(server, "listening");
}

/** Joins with a whole client, like a game. */
async function joinAsGame({ port, onMessage }: JoinOptions): Promise<RelayClient> {
  const client = new Client(`http://127.0.0.1:${port}`, {
    profile: "racing",
    transports: ["websocket"],
    webSocket: NodeWebSocket,
  });
  const room = await client.joinOrCreate(ROOM);
  room.onMessage("m", (bytes) => onMessage(bytes as Uint8Array));
  return { send: (bytes) => room.sendEvent("m", bytes) };
}

interface Seat {
  readonly ticket: string;
}

/**
 * Joins with the wire protocol alone: the same match, session, pings and published packets, but no room.
 * Fifty whole clients
 * would use more CPU than the measured relay.
 */
function joinAsWire(trafficClass: TrafficClassName) {
  return async ({ port, onMessage }: JoinOptions): Promise<RelayClient> => {
    const answer = await fetch(`http://127.0.0.1:${port}/match/joinOrCreate/${ROOM}`, {
      method: "POST",
      body: JSON.stringify({ version: 5, webrtc: false }),
    });
    const { ticket } = (await answer.json()) as Seat;
    const peers = new Set<number>();
    let onWelcome: (() => void) | undefined;
    const welcomed = new Promise<void>((resolve) => (onWelcome = resolve));
    const session = new Session({
      scheduler: systemScheduler,
      handlers: {
        onReliable(payload) {
          const message =
            payload[0] === PayloadKind.control ? readServerMessage(payload.subarray(1)) : undefined;
          if (message?.type === "joined") peers.add(message.peer.number);
          if (message?.type !== "welcome") return;
          for (const { number } of message.peers) peers.add(number);
          onWelcome?.();
        },
        onRouted(packet) {
          const envelope = readEnvelope(packet);
          if (typeof envelope !== "string") onMessage(bodyOf(envelope.packet));
        },
      },
    });
    const socket = new NodeWebSocket(`ws://127.0.0.1:${port}/link`, [WEBSOCKET_PROTOCOL, `ticket.${ticket}`]);
    session.attach(new WebSocketLink(socket, { scheduler: systemScheduler }), {
      preference: 1,
      needsProof: false,
      connectTimeoutMs: 10_000,
      timeoutMs: 10_000,
      heartbeatMs: 1000,
    });
    await welcomed;
    return { send: publisher(session, trafficClass, peers) };
  };
}

function publisher(
  session: Session,
  trafficClass: TrafficClassName,
  others: ReadonlySet<number>,
): RelayClient["send"] {
  const [packet, envelope] = [new ByteWriter(256), new ByteWriter(512)];
  let sequence = 0;
  return (bytes, isPrompt) => {
    const only = MessageKind.event;
    writePacketHeader(packet.reset(), { sequence, isPublished: true, only });
    sequence = nextSequence(sequence);
    writeMessage(packet, MessageKind.event, bytes, { only });
    const peers = [...others];
    writeEnvelope(envelope.reset(), { trafficClass, key: 0, peers, packet: packet.view(), isPrompt });
    session.outbox.forward(trafficClass, envelope.take());
  };
}

function bodyOf(packet: Uint8Array): Uint8Array {
  return packet.subarray(PUBLISHED_HEAD_BYTES);
}

/** Flags and kind (one byte), then the sequence. */
const PUBLISHED_HEAD_BYTES = 3;

export const pacelineClient: RelaySystem = { name: "paceline", packages: [], serve, join: joinAsGame };

export const pacelineWire: RelaySystem = {
  name: "paceline-wire",
  packages: [],
  serve,
  join: joinAsWire("event"),
};
