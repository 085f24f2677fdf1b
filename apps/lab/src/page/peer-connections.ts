/** The browser's connections, remembered from the page's start: only they know which candidates they chose. */
const opened: RTCPeerConnection[] = [];

/** To be called before anything connects. */
export function rememberPeerConnections(): void {
  const Native = globalThis.RTCPeerConnection as typeof RTCPeerConnection | undefined;
  if (!Native) return;
  globalThis.RTCPeerConnection = class extends Native {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      opened.push(this);
    }
  };
}

interface Candidate {
  readonly candidateType: string;
  readonly relayProtocol?: string;
}

/** The kinds of the candidates of each connection that is up, such as `host-host` or `relay/tcp-prflx`. */
export async function candidatePairs(): Promise<string[]> {
  const pairs: string[] = [];
  for (const connection of opened.filter((each) => each.connectionState === "connected")) {
    const stats = [...((await connection.getStats()) as ReadonlyMap<string, RTCStats>).values()];
    // Firefox marks the pair itself, Chromium the transport.
    const transport = stats.find(({ type }) => type === "transport") as
      { selectedCandidatePairId?: string } | undefined;
    const chosen = stats.find(
      (entry) =>
        entry.type === "candidate-pair" &&
        (entry.id === transport?.selectedCandidatePairId ||
          (entry as { selected?: boolean }).selected === true),
    ) as { localCandidateId: string; remoteCandidateId: string } | undefined;
    if (!chosen) continue;
    pairs.push([chosen.localCandidateId, chosen.remoteCandidateId].map((id) => kindOf(stats, id)).join("-"));
  }
  return pairs;
}

function kindOf(stats: readonly RTCStats[], id: string): string {
  const candidate = stats.find((entry) => entry.id === id) as unknown as Candidate | undefined;
  if (!candidate) return "unknown";
  return [candidate.candidateType, candidate.relayProtocol].filter(Boolean).join("/");
}
