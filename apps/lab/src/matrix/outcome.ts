import type { MatrixCase } from "./cases.js";
import { medianTimes, type JoinTimes } from "./join-times.js";
import type { PairReport, ProbeReport } from "./probe-report.js";

/** One row of the result; what was not measured is absent. */
export interface MatrixRow {
  readonly case: string;
  readonly browsers: string;
  readonly path: string;
  readonly rttMs: number;
  readonly joinedMs: number;
  readonly playableMs?: number;
  readonly bestPathMs?: number;
  readonly longestGapMs: number;
  readonly migrations: number;
  readonly reliableSent: number;
  readonly lost: number;
  readonly repeated: number;
  readonly outOfOrder: number;
  /** Sent to somebody whose session the server forgot before it arrived. */
  readonly lostWithSession: number;
}

/** The pairs of sessions that were still there at the end: what they sent must have arrived. */
export function isSettled(reports: readonly ProbeReport[]): boolean {
  return livePairs(reports).every((pair) => receivedOf(reports, pair) === pair.sent);
}

/** Whether everybody sees states of everybody. */
export function haveMet(reports: readonly ProbeReport[]): boolean {
  return reports.every((report) => {
    const seen = livePairs([report]).filter(({ states }) => states > 0);
    return seen.length >= reports.length - 1;
  });
}

/** Pairs whose own end is the present session, and whose other end is somebody's present session. */
export function livePairs(reports: readonly ProbeReport[]): PairReport[] {
  return reports.flatMap(({ sessionId, pairs }) => pairs.filter(({ myId }) => myId === sessionId));
}

function receivedOf(reports: readonly ProbeReport[], pair: PairReport): number {
  const mirror = reports
    .flatMap(({ pairs }) => pairs)
    .find(({ myId, peerId }) => myId === pair.peerId && peerId === pair.myId);
  return mirror?.received.distinct ?? 0;
}

export function rowOf(
  { name, participants, rttMs }: MatrixCase,
  joins: readonly JoinTimes[],
  reports: readonly ProbeReport[],
): MatrixRow {
  const present = new Set(reports.map(({ sessionId }) => sessionId));
  const all = reports.flatMap(({ pairs }) => pairs);
  const isLive = ({ myId, peerId }: PairReport) => present.has(myId) && present.has(peerId);
  const live = all.filter(isLive);
  const sum = (of: readonly PairReport[], part: (pair: PairReport) => number) =>
    of.reduce((total, pair) => total + part(pair), 0);
  const missing = (pair: PairReport) => pair.sent - receivedOf(reports, pair);
  return {
    case: name,
    browsers: participants.map(({ browser }) => browser).join(" "),
    path: pathOf(live, reports),
    rttMs,
    ...medianTimes(joins),
    longestGapMs: Math.round(Math.max(0, ...live.map(({ longestGapMs }) => longestGapMs))),
    migrations: sum(all, ({ pathChanges }) => Math.max(0, pathChanges - 1)),
    reliableSent: sum(all, ({ sent }) => sent),
    lost: sum(live, missing),
    repeated: sum(all, ({ received }) => received.repeated),
    outOfOrder: sum(all, ({ received }) => received.outOfOrder),
    lostWithSession: sum(
      all.filter((pair) => !isLive(pair)),
      missing,
    ),
  };
}

function pathOf(live: readonly PairReport[], reports: readonly ProbeReport[]): string {
  const paths = [...new Set(live.map(({ path }) => path))].join(" and ") || "none";
  const candidates = [...new Set(reports.flatMap(({ candidates }) => candidates))].join(", ");
  return candidates === "" || !paths.includes("direct") ? paths : `${paths} (${candidates})`;
}
