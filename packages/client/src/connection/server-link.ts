import { WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import { PathLink, WebSocketLink, type Link, type WebSocketLike } from "@paceline/transport";
import type { FirstSocket } from "./first-attempt.js";
import type { ServerConnectionOptions } from "./server-connection-options.js";

export const serverLinkOptions = {
  needsProof: false,
  connectTimeoutMs: 8000,
  timeoutMs: 5000,
  heartbeatMs: 1000,
  silenceMs: 1000,
} as const;

/** Limit of other links that may be opening during a new attempt, at least 2: the oldest and the newest. */
export const MAX_OTHER_ATTEMPTS = 2;

type Opening = Pick<ServerConnectionOptions, "scheduler" | "webSocket" | "interpose">;

/** A link and its socket. The link closes at once; the socket closes when the server has answered. */
export interface ServerLink {
  readonly link: Link;
  readonly socket: WebSocketLike;
}

/** Opens a socket. The credential travels beside the protocol's name, because addresses end up in logs. */
export function openServerLink(opening: Opening, url: string, credential: string): ServerLink {
  const socket = new opening.webSocket(url, [WEBSOCKET_PROTOCOL, credential]);
  return linkOver(opening, { socket });
}

/** Returns true for a link over a WebSocket to the server, and false for the WebRTC link beside it. */
export function isSocket(link: Link): link is PathLink {
  return link instanceof PathLink && link.kind !== "webrtc";
}

export function linkOver(
  { scheduler, interpose }: Pick<Opening, "scheduler" | "interpose">,
  { socket, backlog }: Pick<FirstSocket, "socket"> & Partial<FirstSocket>,
): ServerLink {
  return { link: interpose(new WebSocketLink(socket, { scheduler, backlog })), socket };
}
