import type { DropReason } from "@paceline/protocol";
import type {
  Explanation,
  LinkKind,
  LossReading,
  Measured,
  Session,
  StallReading,
} from "@paceline/transport";
import type { PeerRates } from "./rate-meter.js";

/** Measurements of a path. */
export interface PathQuality {
  /** Mean difference between consecutive round trips, ms. */
  readonly jitterMs: number;
  /**
   * Share of packets that are lost on the way here, 0 to 1; undefined if too few unreliable packets came
   * lately.
   */
  readonly lossRatio: number | undefined;
  /** Share of packets from here that are lost, 0 to 1, by the other side's acks; undefined as above. */
  readonly outgoingLossRatio: number | undefined;
  /** Bytes that wait here because the path does not accept them. */
  readonly queuedBytes: number;
}

/** Traffic and measurements of the connection to the server, relayed traffic included. */
export interface ServerStats extends Omit<PathQuality, "lossRatio" | "outgoingLossRatio"> {
  readonly isConnected: boolean;
  /** Round trip to the server, ms; undefined before the first measurement. */
  readonly rttMs: number | undefined;
  readonly bytesInPerSecond: number;
  readonly bytesOutPerSecond: number;
  /** Packets of states that a server which decides sent in the last second; 0 in other rooms. */
  readonly statePacketsPerSecond: number;
  /** Transport of states to the server; undefined without a link. */
  readonly stateLink: LinkKind | undefined;
  /** WebSockets of this session. States alternate over them if no other link carries states. */
  readonly sockets: number;
  /**
   * Share of the round trips over the WebSocket that waited behind lost segments, 0 to 1; undefined after too
   * few of them.
   */
  readonly stallRatio: number | undefined;
  /** Number of recent round trips over the WebSocket that a lost segment or a queue delayed. */
  readonly stalls: StallReading;
  /** Loss of the server's packets; undefined if no unreliable packets came lately, as over a WebSocket. */
  readonly loss: LossReading | undefined;
  /** Loss of the packets to the server by its acks; undefined as above. */
  readonly outgoingLoss: LossReading | undefined;
  /**
   * Counts of what was dropped on the way to the server or from it, by reason. Of what this page has sent: events
   * without a link (`not-routable`), whose lifetime ended while they waited (`outdated`), or of which too many
   * waited (`queue-full`).
   */
  readonly drops: Partial<Record<DropReason, number>>;
}

interface MeasuredPath {
  readonly path: "direct" | "turn" | "relay";
  readonly rttMs: number | undefined;
  readonly stats: PathQuality & Partial<PeerRates>;
}

/** Size of the IP, UDP, DTLS and SCTP headers of a packet on a direct link. */
const DIRECT_HEADER_BYTES = 100;

/**
 * Returns the worst values of all paths in use, or those of the path to the server if there are no peers.
 * Returns undefined if nothing was measured.
 */
export function measuredOf(
  peers: Iterable<MeasuredPath>,
  server: ServerStats,
  uploadBytesPerSecond: number,
): Measured | undefined {
  const paths = [...peers].filter((path) => path.rttMs !== undefined);
  const { loss, outgoingLoss } = server;
  const uploadRatio = paths.length > 0 ? directBytesPerSecond(paths) / uploadBytesPerSecond : undefined;
  if (paths.length === 0) {
    const { rttMs: ownMs, jitterMs, queuedBytes } = server;
    const stats = { jitterMs, queuedBytes, lossRatio: undefined, outgoingLossRatio: undefined };
    paths.push({ path: "relay", rttMs: ownMs, stats });
  }
  const rttMs = Math.max(...paths.map((path) => path.rttMs ?? Number.NaN));
  if (Number.isNaN(rttMs)) return undefined;
  const worst = (quality: "jitterMs" | "queuedBytes"): number =>
    Math.max(...paths.map(({ stats }) => stats[quality]));
  const isRelaying = paths.some(({ path }) => path === "relay");
  // A relay replaces waiting states, so the packets of a relayed pair show no loss. What is lost on the way to the
  // server and from it, the two sides of that link count. A WebSocket repeats what it loses.
  const relayed = isRelaying && server.stateLink === "webrtc" ? [loss?.ratio, outgoingLoss?.ratio] : [];
  const losses = paths
    .filter(({ path }) => path !== "relay")
    .flatMap(({ stats }) => [stats.lossRatio, stats.outgoingLossRatio])
    .concat(relayed)
    .filter((ratio) => ratio !== undefined);
  return {
    ...(losses.length > 0 && { lossRatio: Math.max(...losses) }),
    rttMs,
    jitterMs: worst("jitterMs"),
    queuedBytes: worst("queuedBytes"),
    // Stalls matter only if states use the WebSocket.
    ...(server.stateLink === "websocket" &&
      isRelaying &&
      server.stallRatio !== undefined && { stallRatio: server.stallRatio }),
    ...(uploadRatio !== undefined && { uploadRatio }),
  };
}

/**
 * Returns the upload of direct links to all peers, or its estimate: a relayed packet counts once for each
 * receiver.
 */
function directBytesPerSecond(paths: readonly MeasuredPath[]): number {
  return paths.reduce((sum, { stats: { bytesOutPerSecond = 0, packetsOutPerSecond = 0 } }) => {
    return sum + bytesOutPerSecond + packetsOutPerSecond * DIRECT_HEADER_BYTES;
  }, 0);
}

const digits: Readonly<Record<keyof Measured, number>> = {
  lossRatio: 3,
  rttMs: 1,
  jitterMs: 1,
  queuedBytes: 0,
  stallRatio: 3,
  uploadRatio: 3,
};

/** Rounds the measurements for display and storage. */
export function rounded(measured: Measured): Measured {
  const short = Object.entries(measured).map(([name, value]: [string, number]) => {
    const scale = 10 ** digits[name as keyof Measured];
    return [name, Math.round(value * scale) / scale];
  });
  return Object.fromEntries(short) as Measured;
}

/** Returns the measurements of the connection to the server. */
export function serverStatsOf(
  session: Session,
  { bytesInPerSecond, bytesOutPerSecond, updatesInPerSecond }: PeerRates,
  stripes: Pick<ServerStats, "sockets" | "stallRatio" | "stalls">,
): ServerStats {
  const { activeLink } = session;
  const stateLink = session.linkFor("state");
  // With two links, the link that carries states counts.
  const reading = session.readingOf(stateLink);
  return {
    ...stripes,
    stateLink: stateLink?.kind,
    isConnected: activeLink !== undefined,
    rttMs: reading?.rttMs ?? session.rttMs,
    jitterMs: reading?.jitterMs ?? session.jitterMs,
    loss: session.pathLoss,
    outgoingLoss: session.outgoingLoss,
    drops: session.drops.toRecord(),
    queuedBytes: session.queuedBytes,
    bytesInPerSecond,
    bytesOutPerSecond,
    statePacketsPerSecond: updatesInPerSecond,
  };
}

/** Describes the path to the server over its WebSockets. */
export function serverPathInWords(
  state: string,
  { activeLink, rttMs }: Session,
  { sockets, reason }: { readonly sockets: number; readonly reason: string },
): Explanation {
  if (!activeLink) return { about: "server", choice: "none", reason: `connection ${state}` };
  const measured = rttMs === undefined ? "" : `, round trip ${rttMs.toFixed(1)} ms`;
  const choice = sockets > 1 ? `${sockets} websockets` : "websocket";
  const why = sockets > 1 ? `; ${reason}` : "";
  return { about: "server", choice: choice + measured, reason: `joins, signals, relays${why}` };
}
