import { isIP } from "node:net";
import { ConfigError } from "@paceline/protocol";
import { privateCandidates, type PrivateCandidates } from "./candidate-policy.js";
import { assertKeys, assertObject, assertWhole } from "../limits/option-checks.js";

/** WebRTC between the relay and its participants; needs the optional package `node-datachannel`. */
export interface WebRtcOptions {
  /** The one UDP port for all links, 1 to 32767 (above, outgoing connections may take it). 0: any free one. */
  readonly port: number;
  /** Address to bind to. Default: all. */
  readonly bindAddress?: string;
  /** The address that clients use if a NAT stands in front of this machine. */
  readonly announcedAddress?: string;
  /** Candidates of private networks. Default: tried only for sessions that come from a private network themselves. */
  readonly privateCandidates?: PrivateCandidates;
}

/** Outgoing connections take their ports from here on. */
const FIRST_EPHEMERAL_PORT = 32_768;

/** Throws `ConfigError` naming the option, its value and what is allowed. */
export function webRtcSettings(options: WebRtcOptions | undefined): WebRtcOptions | undefined {
  if (options === undefined) return undefined;
  assertObject("webrtc", options);
  assertKeys("webrtc", options, ["port", "bindAddress", "announcedAddress", "privateCandidates"]);
  const { port, bindAddress, announcedAddress, privateCandidates: mode = "private-sessions" } = options;
  assertWhole("webrtc.port", port, { min: 0, max: FIRST_EPHEMERAL_PORT - 1, unit: "UDP port, 0 for any" });
  assertAddress("webrtc.bindAddress", bindAddress);
  assertAddress("webrtc.announcedAddress", announcedAddress);
  if (!privateCandidates.includes(mode)) {
    const expected = `one of ${privateCandidates.join(", ")}`;
    throw new ConfigError({ field: "webrtc.privateCandidates", value: mode, expected });
  }
  return Object.freeze({ ...options });
}

function assertAddress(field: string, address: unknown): void {
  if (address === undefined || (typeof address === "string" && isIP(address) !== 0)) return;
  throw new ConfigError({ field, value: address, expected: "an IPv4 or IPv6 address" });
}
