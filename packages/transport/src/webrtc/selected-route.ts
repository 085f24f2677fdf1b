import { routeOf, type LinkRoute, type SelectedCandidate } from "../signalled-link.js";

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
