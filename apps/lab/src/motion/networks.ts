import type { NetworkSettings } from "@paceline/testkit";

/** A network of the measurement, the same in both directions. */
export interface LabNetwork {
  readonly name: string;
  readonly settings: Partial<NetworkSettings>;
  /** Long-term share of lost packets, as a session measures it. */
  readonly lossRatio: number;
}

const bursty = { pGoodToBad: 0.01, pBadToGood: 0.25, lossInGood: 0.002, lossInBad: 0.47 } as const;
const badShare = bursty.pGoodToBad / (bursty.pGoodToBad + bursty.pBadToGood);

export const networks: readonly LabNetwork[] = [
  { name: "lan", settings: { delayMs: 0.7 }, lossRatio: 0 },
  {
    name: "50-5-1",
    settings: { delayMs: 50, jitterMs: 5, loss: { kind: "uniform", ratio: 0.01 } },
    lossRatio: 0.01,
  },
  {
    name: "100-20-2-bursty",
    settings: { delayMs: 100, jitterMs: 20, loss: { kind: "gilbert-elliott", ...bursty } },
    lossRatio: badShare * bursty.lossInBad + (1 - badShare) * bursty.lossInGood,
  },
  {
    name: "50-0-5",
    settings: { delayMs: 50, loss: { kind: "uniform", ratio: 0.05 } },
    lossRatio: 0.05,
  },
];

/**
 * Kinds of links: packets travel independently, or in one stream in which a lost packet delays all later
 * ones.
 */
export const linkKinds = ["unreliable", "ordered"] as const;
export type LinkKind = (typeof linkKinds)[number];

/** Header bytes: IP 20, UDP 8, DTLS 1.3 5 + 1 + 16, SCTP 12 + 16. SCTP pads the data to four bytes. */
const DATA_CHANNEL_BYTES = 78;
/**
 * Header bytes: IP 20, TCP 20 + 12 (time stamps), TLS 1.3 5 + 1 + 16, WebSocket 2 + 4 (short message,
 * masked).
 */
const WEB_SOCKET_BYTES = 80;

/** Returns the bytes of an IP datagram with one message of this size, sent at once as states are. */
export function wireBytes(link: LinkKind, payloadBytes: number): number {
  if (link === "ordered") return WEB_SOCKET_BYTES + payloadBytes;
  return DATA_CHANNEL_BYTES + 4 * Math.ceil(payloadBytes / 4);
}
