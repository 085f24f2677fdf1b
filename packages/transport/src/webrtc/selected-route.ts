import { routeOf, type LinkRoute, type SelectedCandidate } from "../link-route.js";

interface PairStats {
  readonly type: string;
  readonly nominated?: boolean;
  readonly state?: string;
  /** Firefox's own. */
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

/** Route of a connection's packets, from its statistics; undefined if they do not say. */
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
