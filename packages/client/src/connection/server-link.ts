import { WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import {
  WebSocketLink,
  type Link,
  type Scheduler,
  type WebSocketConstructor,
  type WebSocketLike,
} from "@paceline/transport";
import { CONNECT_TIMEOUT_MS, type FirstSocket } from "./first-attempt.js";

/** Monitoring settings of a link to the server. */
export const serverLinkOptions = {
  needsProof: false,
  connectTimeoutMs: CONNECT_TIMEOUT_MS,
  timeoutMs: 5000,
  heartbeatMs: 1000,
  silenceMs: 1000,
} as const;

/** Links that may be opening while one more is tried: on slow paths an older one may be nearly there. */
export const MAX_OTHER_ATTEMPTS = 2;

interface Opening {
  readonly scheduler: Scheduler;
  readonly webSocket: WebSocketConstructor;
  interpose(link: Link): Link;
}

/** The socket itself comes with the link: its close event comes when the server has answered, the link's before. */
export interface ServerLink {
  readonly link: Link;
  readonly socket: WebSocketLike;
}

/** Opens a socket; what it is for stands beside the protocol's name, where it does not end up in logs of addresses. */
export function openServerLink(opening: Opening, url: string, credential: string): ServerLink {
  const socket = new opening.webSocket(url, [WEBSOCKET_PROTOCOL, credential]);
  return linkOver(opening, { socket });
}

/** The link of a socket that is there already. */
export function linkOver(
  { scheduler, interpose }: Pick<Opening, "scheduler" | "interpose">,
  { socket, backlog }: Pick<FirstSocket, "socket"> & Partial<FirstSocket>,
): ServerLink {
  return { link: interpose(new WebSocketLink(socket, { scheduler, backlog })), socket };
}
