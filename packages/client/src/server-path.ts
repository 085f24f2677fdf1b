import type {
  Link,
  LinkClose,
  LinkMonitorOptions,
  Plan,
  Scheduler,
  WebRtcLinkMaker,
} from "@paceline/transport";
import { LazyDirectPath } from "./lazy-direct-path.js";
import type { PeerConnection } from "./peer.js";

export interface ServerPathOptions {
  readonly scheduler: Scheduler;
  readonly newLink: WebRtcLinkMaker | undefined;
  sendSignal(attempt: number, data: unknown): void;
  /** Adds the link to the session with the server. */
  attach(link: Link, options: LinkMonitorOptions): void;
  /** Something about this path has changed. */
  onChange(): void;
}

/** Where signals name a participant, this is the server. */
export const SERVER_NUMBER = 0;

const HEARTBEAT_MS = 250;
const TIMEOUT_MS = 1000;

/**
 * The WebRTC link to the server beside the WebSocket: states go over it, what must arrive stays where it is. There
 * where the plan wants it, the server speaks WebRTC, and something goes to the server at all: in a room whose players
 * all have direct links it would carry nothing.
 */
export class ServerPath {
  readonly #path: LazyDirectPath;
  #isWanted = false;

  constructor(options: ServerPathOptions) {
    this.#path = new LazyDirectPath({
      scheduler: options.scheduler,
      newLink: options.newLink,
      isInitiator: true,
      // The server can be reached as it is, or not at all: TURN would be a detour to it.
      iceServers: () => [],
      sendSignal: (attempt, data) => options.sendSignal(attempt, data),
      attach: (link, { rank, deadlineMs }) =>
        options.attach(link, {
          preference: 2 + rank / 1000,
          needsProof: true,
          carries: "unreliable",
          connectTimeoutMs: deadlineMs,
          timeoutMs: TIMEOUT_MS,
          heartbeatMs: HEARTBEAT_MS,
        }),
      onLoadFailure: () => options.onChange(),
    });
  }

  /** Why there is no WebRTC link to the server although one is wanted; undefined before anything failed. */
  get lastFailure(): string | undefined {
    return this.#isWanted ? this.#path.lastFailure : undefined;
  }

  /** Asks again whether the link is wanted. */
  review(plan: Plan, peers: Iterable<PeerConnection>): void {
    const isPlanned = plan.serverLinks.includes("webrtc");
    this.#isWanted = isPlanned && (!plan.pairLinks.includes("webrtc") || [...peers].some(isRelayed));
    this.#path.allow(this.#isWanted);
  }

  signal(attempt: number, data: unknown): void {
    this.#path.signal(attempt, data);
  }

  linkActive(link: Link | undefined): void {
    if (link) this.#path.linkActive(link);
  }

  linkDown(link: Link, close: LinkClose): void {
    this.#path.linkDown(link, close);
  }

  networkChanged(): void {
    this.#path.networkChanged();
  }

  kill(): void {
    this.#path.kill();
  }

  end(reason: string): void {
    this.#isWanted = false;
    this.#path.end(reason);
  }
}

/** Nothing better than the relay is in sight: there is an obstacle, or an attempt has failed. */
function isRelayed(peer: PeerConnection): boolean {
  return peer.path === "relay" && peer.isSettled;
}
