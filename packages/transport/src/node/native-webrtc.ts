import type { IceServer } from "@paceline/protocol";

/**
 * The used part of `node-datachannel`. Types and tests use it, so that they do not depend on an optional
 * package.
 */
export interface NativeWebRtc {
  readonly PeerConnection: new (name: string, config: NativeConfig) => NativeConnection;
  /** Sets the settings of all later connections. `delayedSackTime` is in ms. */
  setSctpSettings(settings: { readonly sendBufferSize: number; readonly delayedSackTime: number }): void;
  cleanup(): void;
}

/**
 * Send buffer of SCTP: one packet of the largest size and a few more. The library's default is a megabyte
 * that does not count as `bufferedAmount`: on a slow path a hundred kilobytes of states would leave late, and
 * none would be replaced.
 */
const SCTP_SEND_BUFFER_BYTES = 24_576;

interface NativeConfig {
  readonly iceServers: (string | NativeIceServer)[];
  readonly bindAddress?: string;
  readonly enableIceUdpMux?: boolean;
  readonly portRangeBegin?: number;
  readonly portRangeEnd?: number;
  readonly maxMessageSize?: number;
  readonly iceTransportPolicy?: "all" | "relay";
}

/** A STUN or TURN server as the native library takes it. */
export interface NativeIceServer {
  readonly hostname: string;
  readonly port: number;
  readonly username?: string;
  readonly password?: string;
  readonly relayType?: "TurnUdp" | "TurnTcp" | "TurnTls";
}

/** A data channel of the native library. Every method throws once its connection is closed. */
export interface NativeChannel {
  close(): void;
  isOpen(): boolean;
  sendMessageBinary(packet: Uint8Array): boolean;
  bufferedAmount(): number;
  setBufferedAmountLowThreshold(bytes: number): void;
  onOpen(listener: () => void): void;
  onClosed(listener: () => void): void;
  onBufferedAmountLow(listener: () => void): void;
  onMessage(listener: (message: string | Uint8Array | ArrayBuffer) => void): void;
}

/** A peer connection of the native library. Nearly every method throws in the wrong state. */
export interface NativeConnection {
  close(): void;
  setLocalDescription(): void;
  setRemoteDescription(sdp: string, type: "offer" | "answer"): void;
  addRemoteCandidate(candidate: string, mid: string): void;
  createDataChannel(label: string, config: object): NativeChannel;
  onLocalDescription(listener: (sdp: string, type: string) => void): void;
  onLocalCandidate(listener: (candidate: string, mid: string) => void): void;
  onStateChange(listener: (state: string) => void): void;
  getSelectedCandidatePair(): {
    readonly local: NativeCandidate;
    readonly remote: NativeCandidate;
  } | null;
}

interface NativeCandidate {
  readonly type: string;
  readonly transportType: string;
}

/** Result of loading: the library, or a text why it is missing. */
export type NativeWebRtcLoad =
  | { readonly native: NativeWebRtc; readonly failure?: never }
  | { readonly native?: never; readonly failure: string };

/**
 * Longest wait of an SCTP acknowledgement for data to travel with, ms. Every second packet is acknowledged at
 * once. The library's default of 20 ms sends an acknowledgement for each packet of a game at 30 Hz. A longer
 * wait delays a sender that has lost many packets, because it waits for each of them.
 */
const SACK_DELAY_MS = 40;

/**
 * Loads `node-datachannel`, an optional dependency. Everything else works without it. Never rejects: a
 * missing package or binary gives a `failure`.
 */
export async function loadNativeWebRtc(): Promise<NativeWebRtcLoad> {
  try {
    const native: NativeWebRtc = await import("node-datachannel");
    native.setSctpSettings({ sendBufferSize: SCTP_SEND_BUFFER_BYTES, delayedSackTime: SACK_DELAY_MS });
    return { native };
  } catch (error) {
    const [line = ""] = String(error instanceof Error ? error.message : error).split("\n");
    return { failure: `node-datachannel cannot be loaded: ${line}` };
  }
}

let livingConnections = 0;

/**
 * Counts a connection until the returned function is called: the library has closed it.
 *
 * @internal
 */
export function countNativeConnection(): () => void {
  livingConnections += 1;
  let isCounted = true;
  return () => {
    if (isCounted) livingConnections -= 1;
    isCounted = false;
  };
}

/**
 * Wait before the cleanup, ms. With connections that still close, the library crashes or blocks for ten
 * seconds.
 */
const SETTLE_MS = 1500;

/**
 * Ends the threads of the library, because they keep the process running. Waits until the library has closed
 * every connection of this process. Calls `isUnused` after each wait, and gives up if it returns false. Never
 * rejects: if the library cannot be ended it goes on running, and the process has to end by `process.exit()`.
 */
export async function endNativeWebRtc(native: NativeWebRtc, isUnused?: () => boolean): Promise<void> {
  do {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    if (isUnused?.() === false) return;
  } while (livingConnections > 0);
  try {
    native.cleanup();
  } catch {
    // The cleanup timed out. The threads go on, and a later use finds them.
  }
}

const DEFAULT_PORTS: Readonly<Record<string, number>> = { stun: 3478, stuns: 5349, turn: 3478, turns: 5349 };

/**
 * Converts ICE servers from the format of browsers to that of the native library. Leaves out those it cannot
 * use.
 */
export function nativeIceServers(servers: readonly IceServer[]): NativeIceServer[] {
  return servers.flatMap((server) => nativeIceServer(server) ?? []);
}

function nativeIceServer({ urls, username, credential }: IceServer): NativeIceServer | undefined {
  const match = /^(stuns?|turns?):(\[[^\]]+\]|[^:?]+)(?::(\d+))?(?:\?transport=(udp|tcp))?$/.exec(urls);
  const [, scheme = "", host = "", port, transport] = match ?? [];
  if (!match) return undefined;
  const hostname = host.replace(/^\[|\]$/g, "");
  const address = { hostname, port: Number(port ?? DEFAULT_PORTS[scheme]) };
  if (scheme.startsWith("stun")) return address;
  if (username === undefined || credential === undefined) return undefined;
  const relayType = scheme === "turns" ? "TurnTls" : transport === "tcp" ? "TurnTcp" : "TurnUdp";
  return { ...address, username, password: credential, relayType };
}
