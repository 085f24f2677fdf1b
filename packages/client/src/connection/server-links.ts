import { CloseCode, WEBSOCKET_PROTOCOL } from "@paceline/protocol";
import {
  PathLink,
  WebSocketLink,
  type Link,
  type LinkClose,
  type Session,
  type WebSocketLike,
} from "@paceline/transport";
import type { OwnedSeat } from "./connection-state.js";
import type { Farewell } from "./farewell.js";
import type { FirstSocket } from "./first-attempt.js";
import type { ServerConnectionOptions } from "./server-connection-options.js";

const serverLinkOptions = {
  needsProof: false,
  connectTimeoutMs: 8000,
  timeoutMs: 5000,
  heartbeatMs: 1000,
  silenceMs: 1000,
} as const;

/** Limit of other links that may be opening during a new attempt, at least 2: the oldest and the newest. */
const MAX_OTHER_ATTEMPTS = 2;

type Opening = Pick<ServerConnectionOptions, "scheduler" | "webSocket" | "interpose">;

/** A link and its socket. The link closes at once; the socket closes when the server has answered. */
export interface ServerLink {
  readonly link: Link;
  readonly socket: WebSocketLike;
}

/** Returns true for a link over a WebSocket to the server, and false for the WebRTC link beside it. */
export function isSocket(link: Link): link is PathLink {
  return link instanceof PathLink && link.kind !== "webrtc";
}

/** The links over WebSockets that were opened for a session and have not ended. */
export class ServerLinks {
  /** Address of the links of the session in force. */
  url = "";
  readonly #opening: Opening;
  readonly #farewell: Farewell;
  /** Oldest first. */
  readonly #links = new Set<Link>();
  #newest: Link | undefined;
  /** Resume tokens by the link that was opened with them. */
  readonly #tokens = new WeakMap<Link, string>();
  #preference = 0;

  constructor(opening: Opening, farewell: Farewell) {
    this.#opening = opening;
    this.#farewell = farewell;
  }

  get connecting(): readonly Link[] {
    return [...this.#links].filter(({ state }) => state === "connecting");
  }

  get all(): readonly Link[] {
    return [...this.#links];
  }

  /** Opens a link. The credential travels beside the protocol's name, because addresses end up in logs. */
  open(credential: string): Link {
    return this.over({ socket: new this.#opening.webSocket(this.url, [WEBSOCKET_PROTOCOL, credential]) });
  }

  /** Returns a link over a socket. */
  over({ socket, backlog }: Pick<FirstSocket, "socket"> & Partial<FirstSocket>): Link {
    const { scheduler, interpose } = this.#opening;
    const link = interpose(new WebSocketLink(socket, { scheduler, backlog }));
    return this.#farewell.track({ link, socket });
  }

  /** Attaches a link with the highest preference: it was opened because the older ones may be dead. */
  attach(session: Session, link: Link, connectTimeoutMs: number = serverLinkOptions.connectTimeoutMs): Link {
    this.#links.add(link);
    this.#newest = link;
    session.attach(link, { ...serverLinkOptions, connectTimeoutMs, preference: (this.#preference += 1) });
    return link;
  }

  /** Attaches a new link that goes on with the seat's session. */
  resume(session: Session, { sessionId, resumeToken }: OwnedSeat): void {
    // Closes attempts that do not open, since a new one resolves the address again. The oldest stays until its own
    // time limit: on a slow path, or at a busy server, each of them takes longer than the next ones can wait.
    for (const link of this.connecting.slice(1, 1 - MAX_OTHER_ATTEMPTS)) {
      link.close(CloseCode.timeout, "tried again");
    }
    this.#tokens.set(this.attach(session, this.open(`resume.${sessionId}.${resumeToken}`)), resumeToken);
  }

  /**
   * True if the link was tried with an earlier token than the seat's. It is refused, too, once the server knows that
   * the next one arrived.
   */
  isOutdated(link: Link | undefined, seat: OwnedSeat | undefined): boolean {
    return link !== undefined && this.#tokens.get(link) !== seat?.resumeToken;
  }

  /**
   * True if the server closed the link in favour of a newer one of this page, which this page may have given up
   * meanwhile. Another page takes over the session itself, with all of its links.
   */
  isReplaced(link: Link | undefined, { code }: LinkClose): boolean {
    return code === CloseCode.replaced && link !== undefined && link !== this.#newest;
  }

  /** Closes the links that are older than the active one: the server may already have accepted a newer one. */
  closeOlder(active: Link | undefined): void {
    for (const link of this.#links) {
      if (link === active) return;
      link.close(CloseCode.replaced, "a newer link of this session took over");
    }
  }

  closeAll(code: number, reason: string): void {
    for (const link of this.#links) link.close(code, reason);
  }

  delete(link: Link): void {
    this.#links.delete(link);
  }

  /** Forgets the links of an ended session. */
  clear(): void {
    this.#links.clear();
  }
}
