import { SERVER_NUMBER } from "@paceline/protocol";
import type { Plan, Explanation } from "@paceline/transport";
import { LazyDirectPath } from "./lazy-direct-path.js";
import type { PairParts, PeerConnection } from "./peer-connection.js";
import type { Peer } from "./peer.js";
import type { ServerConnection } from "../connection/server-connection.js";

/** Preference of the link, above all WebSockets. Each newer WebSocket counts 1 more. */
const PREFERENCE = 1_000_000;
const HEARTBEAT_MS = 250;
/** Time before a second attempt starts, ms. Without losses a handshake takes six round trips. */
const HEDGE_AFTER_MS = 800;
const MEASURE_MS = 1000;
const TIMEOUT_MS = 1000;

/**
 * WebRTC link to the server beside the WebSocket. It carries states; reliable messages stay on the WebSocket.
 * It opens if the plan wants it, the server supports it, and states go to the server at all: in a room whose
 * pairs are all direct it would carry nothing.
 */
export class ServerPath {
  readonly #direct: LazyDirectPath;
  readonly #connection: ServerConnection;
  #isWanted = false;
  /** True if states go to the server: it decides, or it relays them. */
  #isServing = true;

  constructor(parts: PairParts, connection: ServerConnection, onChange: () => void) {
    this.#connection = connection;
    this.#direct = new LazyDirectPath({
      ...parts,
      isInitiator: true,
      hedgeAfterMs: HEDGE_AFTER_MS,
      eventLifetimeMs: () => parts.channel("event").lifetimeMs,
      // The server is reachable directly, or not at all. TURN would only be a detour.
      iceServers: () => [],
      sendSignal: (attempt, data) => connection.send({ type: "signal", to: SERVER_NUMBER, attempt, data }),
      attach: (link, { rank, deadlineMs, routed }) =>
        connection.attachBeside(link, {
          preference: PREFERENCE + rank / 1000,
          needsProof: true,
          carries: "unreliable",
          connectTimeoutMs: deadlineMs,
          timeoutMs: TIMEOUT_MS,
          heartbeatMs: HEARTBEAT_MS,
          measureMs: MEASURE_MS,
          routed,
        }),
      onLoadFailure: onChange,
    });
    connection.networks.add(() => this.#direct.path?.networkChanged());
    connection.linkEnds.add((link, close) => this.#direct.path?.linkDown(link, close));
    connection.stateLinks.add((link) => {
      if (!link) return;
      this.#direct.path?.linkActive(link);
      if (connection.state === "joined") onChange();
    });
  }

  explain(): Explanation {
    const own = this.#connection.explanation;
    if (this.#connection.link?.kind === "webrtc") {
      const reason = "the WebSocket is gone; WebRTC carries everything until there is another one";
      return { about: "server", choice: "everything on webrtc", reason };
    }
    if (this.#hasStatesOnWebRtc) {
      const { note = "" } = this.#direct.path?.route ?? {};
      const reason = "a probe went both ways over WebRTC; what must arrive recovers sooner on TCP";
      return { about: "server", choice: `states on webrtc, the rest on ${own.choice}${note}`, reason };
    }
    const failure = this.#isWanted ? this.#direct.lastFailure : undefined;
    return failure === undefined
      ? own
      : { ...own, reason: `${own.reason}; WebRTC to the server failed: ${failure}` };
  }

  /** True if states go over the WebSocket, and no WebRTC link is expected to take them. */
  get needsSockets(): boolean {
    const isExpected = this.#isWanted && this.#direct.lastFailure === undefined;
    return this.#isServing && !this.#hasStatesOnWebRtc && !isExpected;
  }

  get #hasStatesOnWebRtc(): boolean {
    return this.#connection.uplink?.linkFor("state")?.kind === "webrtc";
  }

  /** Opens or closes the link as the plan wants. `server` is set if states come from the server itself. */
  review(plan: Plan, { server, pairs }: Paths): void {
    const { state, input, event } = plan.channels;
    const isPlanned = [state, input, event].some(({ links }) => links.includes("webrtc"));
    const isServed = server !== undefined || !state.links.includes("direct");
    this.#isServing = isServed || [...pairs].some(isRelayed);
    this.#isWanted = isPlanned && this.#isServing;
    if (isServed && mayBePlanned(plan)) this.#direct.prefetch();
    this.#direct.allow(this.#isWanted);
  }

  signal(attempt: number, data: unknown): void {
    this.#direct.signal(attempt, data);
  }

  kill(): void {
    this.#direct.path?.kill();
  }

  end(reason: string): void {
    this.#isWanted = false;
    this.#direct.end(reason);
  }
}

interface Paths {
  readonly server: Peer | undefined;
  readonly pairs: Iterable<PeerConnection>;
}

/** Returns true if the plan would want the link after enough losses. */
function mayBePlanned({ inputs, channels: { state } }: Plan): boolean {
  return inputs.webrtc === "yes" && inputs.serverWebrtc === "yes" && state.delivery === "newest-wins";
}

/** Returns true if the peer stays on the relay: a direct link is impossible, or an attempt has failed. */
function isRelayed(peer: PeerConnection): boolean {
  return peer.path === "relay" && peer.isSettled;
}
