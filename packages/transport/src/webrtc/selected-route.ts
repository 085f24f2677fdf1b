import type { LinkRoute } from "../signalled-link.js";

interface PairStats {
  readonly type: string;
  readonly nominated?: boolean;
  readonly state?: string;
  /** Exists in Firefox only. */
  readonly selected?: boolean;
  readonly selectedCandidatePairId?: string;
  readonly localCandidateId?: string;
  readonly remoteCandidateId?: string;
}

interface CandidateStats {
  readonly candidateType?: string;
  readonly protocol?: string;
  readonly relayProtocol?: string;
}

/**
 * Returns the route of a connection's packets from its statistics, or undefined if they do not contain it.
 */
export async function selectedRoute(connection: RTCPeerConnection): Promise<LinkRoute | undefined> {
  let report: Map<string, unknown>;
  try {
    report = (await connection.getStats()) as unknown as Map<string, unknown>;
  } catch {
    return undefined;
  }
  const all = [...report.values()] as PairStats[];
  const transport = all.find(({ type }) => type === "transport");
  const pair =
    (report.get(transport?.selectedCandidatePairId ?? "") as PairStats | undefined) ??
    all.find(({ type, selected }) => type === "candidate-pair" && selected === true) ??
    all.find(({ type, nominated, state }) => type === "candidate-pair" && nominated && state === "succeeded");
  if (!pair) return undefined;
  return routeOf(
    candidateOf(report.get(pair.localCandidateId ?? "")),
    candidateOf(report.get(pair.remoteCandidateId ?? "")),
  );
}

function candidateOf(stats: unknown): SelectedCandidate {
  const { candidateType, protocol, relayProtocol } = (stats ?? {}) as CandidateStats;
  return { type: candidateType, protocol, relayProtocol };
}

/** One selected candidate; implementations name its properties differently. */
interface SelectedCandidate {
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
