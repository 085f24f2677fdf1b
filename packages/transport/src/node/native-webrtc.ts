/** The used part of `node-datachannel`, so that types and tests do not depend on an optional package. */
export interface NativeWebRtc {
  readonly PeerConnection: new (name: string, config: NativeConfig) => NativeConnection;
  /** Sets what all later connections use; `delayedSackTime` in ms. */
  setSctpSettings(settings: { readonly sendBufferSize: number; readonly delayedSackTime: number }): void;
  cleanup(): void;
}

/**
 * Send buffer of SCTP: one packet of the largest size and a few more. The library's own megabyte does not count as
 * `bufferedAmount`, so that on a slow path a hundred kilobytes of states would go out late, none of them replaced.
 */
const SCTP_SEND_BUFFER_BYTES = 24_576;

/** Settings of a native connection. */
export interface NativeConfig {
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

/** A native data channel. Every method throws once its connection is closed. */
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

/** A native peer connection. Nearly every method throws in the wrong state. */
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

/** Result of loading: the library, or the reason in words why it is missing. */
export type NativeWebRtcLoad =
  | { readonly native: NativeWebRtc; readonly failure?: never }
  | { readonly native?: never; readonly failure: string };

/**
 * Longest wait of an SCTP acknowledgement for data to travel with, ms; every second packet is acknowledged at once. The library's
 * own 20 ms send one for each packet of a game at 30 Hz; a sender that has lost much waits for each of them.
 */
const SACK_DELAY_MS = 40;

/**
 * Loads `node-datachannel`, an optional dependency: without it, or without a binary for this machine, everything else
 * works. Never rejects.
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

/** Connections of this process that the library has not finished closing. */
let livingConnections = 0;

/**
 * Counts a connection until the returned function says that the library has closed it.
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

/** The library crashes or blocks the process for ten seconds when it is cleaned up while connections still close. */
const SETTLE_MS = 1500;

/**
 * Ends the threads of the library: a process that has used it never exits by itself otherwise. Waits until the library
 * has closed every connection of this process. `isUnused` is asked again after each wait: false gives up. Never rejects:
 * a library that does not let itself be ended goes on running, and the process then ends with `process.exit()`.
 */
export async function endNativeWebRtc(native: NativeWebRtc, isUnused?: () => boolean): Promise<void> {
  do {
    await new Promise((resolve) => setTimeout(resolve, SETTLE_MS));
    if (isUnused?.() === false) return;
  } while (livingConnections > 0);
  try {
    native.cleanup();
  } catch {
    // It timed out inside; its threads go on, and a later use finds them.
  }
}
