/** How the packets of a WebRTC link travel; known once a pair of candidates was selected. */
export interface LinkRoute {
  /** Whether a TURN server passes them on. */
  readonly isTurn: boolean;
  /** What this side speaks: to the other side itself or to the TURN server. */
  readonly protocol: "udp" | "tcp" | "tls";
}

/** What is known of one selected candidate, by whatever name an implementation gives it. */
export interface SelectedCandidate {
  readonly type: string | undefined;
  /** Of a relayed candidate: what is spoken with the TURN server. */
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
