import { ConfigError, NetError } from "@paceline/protocol";
import {
  hasWebRtc,
  type ProfileChoice,
  type Environment,
  type WebRtcLinkMaker,
  type WebSocketConstructor,
} from "@paceline/transport";

const transportKinds = ["webrtc", "websocket"] as const;
/** One of the transports that a game may allow. */
export type TransportKind = (typeof transportKinds)[number];

/** Throws {@link ConfigError} for a value that is not a constructor. */
export function assertWebSocket(given: unknown): void {
  if (given === undefined || typeof given === "function") return;
  throw new ConfigError("webSocket", given, "a WebSocket constructor");
}

/**
 * Returns the given WebSocket class, or the environment's. Called at a join: a server that renders pages has
 * none.
 */
export function webSocketOf(given: unknown): WebSocketConstructor {
  const found = given ?? globalThis.WebSocket;
  if (typeof found !== "function") {
    throw new NetError(
      "transport/unavailable",
      'this environment has no WebSocket; in Node pass `webSocket: NodeWebSocket` from "@paceline/client/node"',
    );
  }
  return found as unknown as WebSocketConstructor;
}

/**
 * Returns the transports that a game allows, by default all. Throws {@link ConfigError} for an invalid list.
 */
export function checkedTransports(given: unknown): readonly TransportKind[] {
  if (given === undefined) return transportKinds;
  const expected = `a list with at least one of ${transportKinds.join(", ")}`;
  if (!Array.isArray(given) || given.length === 0) throw new ConfigError("transports", given, expected);
  for (const kind of given) {
    if (!transportKinds.includes(kind as TransportKind)) throw new ConfigError("transports", kind, expected);
  }
  if (!given.includes("websocket")) {
    throw new ConfigError(
      "transports",
      given.join(", "),
      "websocket among them: it joins, signals and relays",
    );
  }
  return [...(given as TransportKind[])];
}

/** Throws {@link ConfigError} if the game requires direct links without their transport. */
export function assertPossible(choice: ProfileChoice, transports: readonly TransportKind[]): void {
  if (typeof choice !== "object" || choice.topology !== "mesh" || transports.includes("webrtc")) return;
  const expected = `"relay", or nothing: transports leaves out webrtc`;
  throw new ConfigError("profile.topology", choice.topology, expected);
}

/**
 * Returns the given maker of WebRTC links, for an environment without WebRTC. Throws {@link ConfigError} for
 * anything but a function.
 */
export function webRtcOf(given: unknown): WebRtcLinkMaker | undefined {
  if (given === undefined || typeof given === "function") return given as WebRtcLinkMaker | undefined;
  throw new ConfigError("webRtc", given, 'what nodeWebRtc() of "@paceline/client/node" resolves to');
}

/** Returns the decision tree's inputs: this page, its capabilities and the other participants. */
export function environmentOf(
  transports: readonly TransportKind[],
  peers: Pick<Environment, "peers" | "directPeers">,
  newLink?: WebRtcLinkMaker,
): Omit<Environment, "device"> {
  return {
    security: pageSecurity(),
    available: { webrtc: transports.includes("webrtc") && (newLink !== undefined || hasWebRtc()) },
    ...peers,
  };
}

function pageSecurity(): Environment["security"] {
  const { protocol } = (globalThis.location ?? {}) as { protocol?: string };
  if (protocol === "https:") return "https";
  return protocol === "http:" ? "http" : "unknown";
}

/** Hosts that an https page may reach without encryption. */
const loopback = /^(localhost|127(\.\d+){3}|\[::1\])$/;

/** Throws {@link ConfigError} for an address that the plan's schemes do not allow. */
export function assertScheme(serverUrl: string, schemes: readonly ("wss" | "ws")[]): void {
  const { protocol, hostname } = new URL(serverUrl);
  if (protocol === "https:" || schemes.includes("ws") || loopback.test(hostname)) return;
  const expected = "an https or wss address, since the page came by https";
  throw new ConfigError("endpoint", serverUrl, expected);
}
