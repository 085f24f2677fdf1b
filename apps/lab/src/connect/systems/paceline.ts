import { Client } from "@paceline/client";
import { NodeWebSocket, nodeWebRtc } from "@paceline/client/node";
import { defineServer, Room } from "@paceline/server";
import { openLimits } from "./paceline-limits.js";
import type { Connected, ConnectSystem } from "../system.js";

interface EchoTypes {
  messages: { echo: Uint8Array };
}

/** A room that sends bytes back as an event, which may be lost. */
class EchoRoom extends Room<EchoTypes> {
  override readonly tickHz = 30;

  override onCreate(): void {
    this.onMessage("echo", (player, bytes) => this.sendEvent(player, "echo", bytes));
  }
}

/** Time after which a missing WebRTC link is a failure. */
const WEBRTC_LIMIT_MS = 15_000;
const POLL_MS = 2;

/** Returns Paceline as a room with an authority, over a WebSocket alone or with WebRTC beside it. */
export async function pacelineSystem({ isWebRtc }: { readonly isWebRtc: boolean }): Promise<ConnectSystem> {
  const webRtc = isWebRtc ? await nodeWebRtc() : undefined;
  if (isWebRtc && !webRtc) throw new Error("node-datachannel is not there");
  return {
    serve(host, roomClients) {
      class SizedRoom extends EchoRoom {
        override maxPlayers = roomClients;
      }
      const server = defineServer({
        rooms: { echo: SizedRoom },
        limits: openLimits,
        ...(isWebRtc && { webrtc: { port: 0, bindAddress: host } }),
      });
      return server.listen(0, host);
    },

    async connect(url) {
      const transports = isWebRtc ? (["webrtc", "websocket"] as const) : (["websocket"] as const);
      const client = new Client(url, { profile: "racing", webSocket: NodeWebSocket, webRtc, transports });
      const room = await client.joinOrCreate("echo");
      const connected: Connected = {
        onEcho: undefined,
        send: (bytes) => room.sendEvent("echo", bytes),
        close: () => room.leave(),
      };
      room.onMessage("echo", (bytes) => connected.onEcho?.(bytes as Uint8Array));
      if (isWebRtc) await untilOverWebRtc(() => room.transport.serverPath.choice);
      return connected;
    },
  };
}

async function untilOverWebRtc(choice: () => string): Promise<void> {
  const deadlineMs = performance.now() + WEBRTC_LIMIT_MS;
  while (!choice().startsWith("states on webrtc")) {
    if (performance.now() > deadlineMs) throw new Error("WebRTC did not take over");
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}
