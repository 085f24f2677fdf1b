/** The route of a WebRTC link, known once a pair of candidates is selected. */
export interface LinkRoute {
  /** Whether a TURN server passes them on. */
  readonly isTurn: boolean;
  /** Protocol from this side to the other one or to the TURN server. */
  readonly protocol: "udp" | "tcp" | "tls";
}

/** One selected candidate; implementations name its properties differently. */
export interface SelectedCandidate {
  readonly type: string | undefined;
  /** The transport to the TURN server of a relayed candidate. */
  readonly relayProtocol?: string | undefined;
  readonly protocol?: string | undefined;
}

/** The route over a selected pair of candidates. */
export function routeOf(local: SelectedCandidate, remote: SelectedCandidate): LinkRoute {
  const isMine = local.type === "relay";
  const spoken = (isMine && local.relayProtocol) || local.protocol || "udp";
  const protocol = /tls/i.test(spoken) ? "tls" : /tcp/i.test(spoken) ? "tcp" : "udp";
  return { isTurn: isMine || remote.type === "relay", protocol };
}
