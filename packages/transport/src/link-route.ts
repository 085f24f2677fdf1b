/** The route of a WebRTC link, known once a pair of candidates is selected. */
export interface LinkRoute {
  /** True if a TURN server passes the packets on. */
  readonly isTurn: boolean;
  /** Protocol from this side to the other side, or to the TURN server. */
  readonly protocol: "udp" | "tcp" | "tls";
}

/** One selected candidate; implementations name its properties differently. */
export interface SelectedCandidate {
  readonly type: string | undefined;
  /** Protocol to the TURN server, of a relayed candidate. */
  readonly relayProtocol?: string | undefined;
  readonly protocol?: string | undefined;
}

/** Returns the route over a selected pair of candidates. */
export function routeOf(local: SelectedCandidate, remote: SelectedCandidate): LinkRoute {
  const isLocalRelayed = local.type === "relay";
  const spoken = (isLocalRelayed && local.relayProtocol) || local.protocol || "udp";
  const protocol = /tls/i.test(spoken) ? "tls" : /tcp/i.test(spoken) ? "tcp" : "udp";
  return { isTurn: isLocalRelayed || remote.type === "relay", protocol };
}
