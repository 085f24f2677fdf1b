import type { MatrixCase } from "./cases.js";
import { medianTimes, type JoinTimes } from "./join-times.js";
import type { PairReport, ProbeReport } from "./probe-report.js";

/** One row of the result. Figures that were not measured are absent. */
export interface MatrixRow {
  readonly case: string;
  readonly browsers: string;
  readonly path: string;
  readonly rttMs: number;
  readonly joinedMs?: number;
  readonly playableMs?: number;
  readonly bestPathMs?: number;
  readonly longestGapMs: number;
  readonly migrations: number;
  readonly reliableSent: number;
  readonly lost: number;
  readonly repeated: number;
  readonly outOfOrder: number;
  /** Messages to a session that the server forgot before they arrived. */
  readonly lostWithSession: number;
}

/** True if everything sent between the pairs of present sessions has arrived. */
export function isSettled(reports: readonly ProbeReport[]): boolean {
  return livePairs(reports).every((pair) => receivedOf(reports, pair) === pair.sent);
}

/** True if every participant sees states of every other one. */
export function haveMet(reports: readonly ProbeReport[]): boolean {
  return reports.every((report) => {
    const seen = livePairs([report]).filter(({ states }) => states > 0);
    return seen.length >= reports.length - 1;
  });
}

/** Returns the pairs whose own end is the participant's present session. */
export function livePairs(reports: readonly ProbeReport[]): PairReport[] {
  return reports.flatMap(({ sessionId, pairs }) => pairs.filter(({ myId }) => myId === sessionId));
}

function receivedOf(reports: readonly ProbeReport[], pair: PairReport): number {
  const mirror = reports
    .flatMap(({ pairs }) => pairs)
    .find(({ myId, peerId }) => myId === pair.peerId && peerId === pair.myId);
  return mirror?.received.distinct ?? 0;
}

/** The reports of all participants, before the trouble and at the end of a case. */
export interface Told {
  readonly joins: readonly JoinTimes[];
  /** Reports after the last join. */
  readonly met: readonly ProbeReport[];
  readonly end: readonly ProbeReport[];
  /** Candidate types of each open WebRTC connection, such as `host-host`. */
  readonly candidates: readonly string[];
  readonly longestGapMs: number;
}

export function rowOf({ name, participants, rttMs }: MatrixCase, told: Told): MatrixRow {
  const { joins, met, end, candidates } = told;
  const present = new Set(end.map(({ sessionId }) => sessionId));
  // A participant that left before the last join left on purpose.
  const known = new Set([...present, ...met.map(({ sessionId }) => sessionId)]);
  const all = end
    .flatMap(({ pairs }) => pairs)
    .filter(({ myId, peerId }) => known.has(myId) && known.has(peerId));
  const isLive = ({ myId, peerId }: PairReport) => present.has(myId) && present.has(peerId);
  const missing = (pair: PairReport) => pair.sent - receivedOf(end, pair);
  const paths = [...new Set(all.filter(isLive).map(({ path }) => path))].join(" and ") || "none";
  const kinds = [...new Set(candidates)].join(", ");
  return {
    case: name,
    browsers: participants.map(({ browser }) => browser).join(" "),
    path: kinds === "" || paths === "relay" || paths === "none" ? paths : `${paths} (${kinds})`,
    rttMs,
    ...medianTimes(joins),
    longestGapMs: Math.round(told.longestGapMs),
    migrations: sum(all, ({ pathChanges }) => Math.max(0, pathChanges - 1)),
    reliableSent: sum(all, ({ sent }) => sent),
    lost: sum(all.filter(isLive), missing),
    repeated: sum(all, ({ received }) => received.repeated),
    outOfOrder: sum(all, ({ received }) => received.outOfOrder),
    lostWithSession: sum(
      all.filter((pair) => !isLive(pair)),
      missing,
    ),
  };
}

function sum(pairs: readonly PairReport[], part: (pair: PairReport) => number): number {
  return pairs.reduce((total, pair) => total + part(pair), 0);
}
