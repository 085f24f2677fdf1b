/** A step in the life of a WebRTC connection, ms of the page's clock. */
export interface ConnectionStep {
  readonly atMs: number;
  readonly step: string;
}

/** All connections since the page's start: only they know the chosen candidates. */
const opened: RTCPeerConnection[] = [];
const steps = new Map<RTCPeerConnection, ConnectionStep[]>();

/** Records every `RTCPeerConnection` that is created from here on; call it before anything connects. */
export function rememberPeerConnections(): void {
  const Native = globalThis.RTCPeerConnection as typeof RTCPeerConnection | undefined;
  if (!Native) return;
  globalThis.RTCPeerConnection = class extends Native {
    constructor(configuration?: RTCConfiguration) {
      super(configuration);
      opened.push(this);
      followSteps(this);
    }
  };
}

/** Returns each connection's steps, the newest last. */
export function connectionSteps(): ConnectionStep[][] {
  return opened.map((connection) => steps.get(connection) ?? []);
}

function followSteps(connection: RTCPeerConnection): void {
  const taken: ConnectionStep[] = [];
  const note = (step: string): void => void taken.push({ atMs: performance.now(), step });
  steps.set(connection, taken);
  note("made");
  connection.addEventListener("signalingstatechange", () => {
    note(`signalling ${connection.signalingState}`);
    // The transports exist from the first description on.
    connection.sctp?.transport?.addEventListener("statechange", () => {
      note(`DTLS ${connection.sctp?.transport?.state}`);
    });
  });
  connection.addEventListener("icecandidate", ({ candidate }) => {
    note(candidate ? `own candidate ${candidate.type}` : "own candidates are all there");
  });
  connection.addEventListener("iceconnectionstatechange", () => note(`ICE ${connection.iceConnectionState}`));
  const create = connection.createDataChannel.bind(connection);
  connection.createDataChannel = (label, init) => {
    const channel = create(label, init);
    channel.addEventListener("open", () => note(`channel ${label} open`));
    return channel;
  };
}

interface Candidate {
  readonly candidateType: string;
  readonly relayProtocol?: string;
}

/** Returns the candidate types of each open connection, such as `host-host` or `relay/tcp-prflx`. */
export async function candidatePairs(): Promise<string[]> {
  const pairs: string[] = [];
  for (const connection of opened.filter((each) => each.connectionState === "connected")) {
    const stats = [...((await connection.getStats()) as ReadonlyMap<string, RTCStats>).values()];
    // Firefox marks the pair itself; Chromium names it in the transport.
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
