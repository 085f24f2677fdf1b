import { isIP } from "node:net";
import { ConfigError, assertWhole, checkKeys } from "@paceline/protocol";

/**
 * Modes for candidates of private networks (RFC 1918, RFC 6598, RFC 4193). `private-sessions`: tried only if
 * the session's own address is private, as on a LAN. `always`: tried, for players behind a VPN whose
 * WebSocket comes from elsewhere. `never`: not tried; only public addresses and the session's own are.
 */
export const privateCandidates = ["private-sessions", "always", "never"] as const;
/** One of {@link privateCandidates}. */
export type PrivateCandidates = (typeof privateCandidates)[number];

/** WebRTC between the relay and its participants. It needs the optional package `node-datachannel`. */
export interface WebRtcOptions {
  /** UDP port for all links, 1 to 32767: outgoing connections may take higher ones. 0: any free port. */
  readonly port: number;
  /** Address to bind to. Default: all addresses. */
  readonly bindAddress?: string;
  /** Address for clients if this machine is behind a NAT. */
  readonly announcedAddress?: string;
  /** Mode for candidates of private networks. Default: `private-sessions`. */
  readonly privateCandidates?: PrivateCandidates;
}

/** Lowest port that the system gives to outgoing connections. */
const FIRST_EPHEMERAL_PORT = 32_768;

/** Checks the options. Throws `ConfigError` naming the option, its value and what is allowed. */
export function webRtcSettings(options: WebRtcOptions | undefined): WebRtcOptions | undefined {
  if (options === undefined) return undefined;
  checkKeys("webrtc", options, ["port", "bindAddress", "announcedAddress", "privateCandidates"]);
  const { port, bindAddress, announcedAddress, privateCandidates: mode = "private-sessions" } = options;
  assertWhole("webrtc.port", port, { min: 0, max: FIRST_EPHEMERAL_PORT - 1, unit: "UDP port, 0 for any" });
  assertAddress("webrtc.bindAddress", bindAddress);
  assertAddress("webrtc.announcedAddress", announcedAddress);
  if (!privateCandidates.includes(mode)) {
    throw new ConfigError("webrtc.privateCandidates", mode, `one of ${privateCandidates.join(", ")}`);
  }
  return Object.freeze({ ...options });
}

function assertAddress(field: string, address: unknown): void {
  if (address === undefined || (typeof address === "string" && isIP(address) !== 0)) return;
  throw new ConfigError(field, address, "an IPv4 or IPv6 address");
}
