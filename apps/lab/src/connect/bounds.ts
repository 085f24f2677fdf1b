import { atLeast, atMost, type Bound } from "../result/bound.js";
import type { ChurnRow } from "./churn.js";
import type { ConnectRow } from "./connect-row.js";
import type { IdleRow, JoinLoadRow } from "./join-load.js";
import { JOIN_RTT_MS, type JoinRow } from "./join-times.js";
import type { OnePortRow } from "./one-port.js";

const ECHO_TO_GECKOS = 0.6;

export function connectBounds(rows: readonly ConnectRow[]): Bound[] {
  const ours = rows.find(({ system }) => system === "paceline-webrtc");
  const lost = rows.flatMap(({ system, failures, wrong }) =>
    system.startsWith("paceline")
      ? [
          atMost(`${system}: clients that did not connect`, failures, 0),
          atMost(`${system}: echoes damaged or repeated`, wrong, 0),
        ]
      : [],
  );
  return [
    atMost("WebRTC echo, server CPU to geckos.io", ours?.echoCpuRatioToGeckos, ECHO_TO_GECKOS),
    ...lost,
  ];
}

/** Goals for a join by WebSocket alone, and for one that requests a seat first. */
const JOIN_BOUNDS = [
  { ways: "one step", roundTrips: 2, extraMs: 60 },
  { ways: "by match", roundTrips: 4, extraMs: 100 },
] as const;

export function joinBounds(rows: readonly JoinRow[]): Bound[] {
  return rows.flatMap(({ system, playableMsP50 }) => {
    const bound = JOIN_BOUNDS.find(({ ways }) => system.endsWith(ways));
    if (!bound) return [];
    const limitMs = bound.roundTrips * JOIN_RTT_MS + bound.extraMs;
    return [atMost(`${system}: first state, ms at ${JOIN_RTT_MS} ms round trip`, playableMsP50, limitMs)];
  });
}

export function onePortBounds(row: OnePortRow): Bound[] {
  return [
    atLeast(`WebRTC clients on one UDP port`, row.connected, row.clients),
    atMost("UDP sockets of their server", row.udpSockets, 1),
    atMost("their echoes lost, damaged or repeated", row.lost + row.wrong + row.repeated, 0),
  ];
}

const JOIN_CPU_MS = 2;
/** Joins of one second, and the time until the last of them is in. */
const BURST_PER_SECOND = 800;
const BURST_WITHIN_MS = 3000;

export function loadBounds(rows: readonly JoinLoadRow[]): Bound[] {
  return rows
    .filter(({ system }) => system === "paceline")
    .flatMap((row) => {
      const what = `${row.perSecond} joins a second`;
      const failed = atMost(`${what}: failures`, row.failures, 0);
      return row.perSecond === BURST_PER_SECOND
        ? [failed, atMost(`${what}: the last one in after ms`, row.admittedWithinMs, BURST_WITHIN_MS)]
        : [failed, atMost(`${what}: server CPU ms each`, row.cpuMsPerJoin, JOIN_CPU_MS)];
    });
}

const IDLE_RSS_KB = 40;

export function idleBounds(rows: readonly IdleRow[]): Bound[] {
  return rows
    .filter(({ system }) => system === "paceline")
    .map(({ roomClients, idleRssKBPerConnection }) =>
      atMost(`idle, rooms of ${roomClients}: RSS kB per connection`, idleRssKBPerConnection, IDLE_RSS_KB),
    );
}

/** Growth in the second half of a run that the noise of an allocator explains. */
const HEAP_GROWTH_MB = 1;
const RSS_GROWTH_MB = 6;

export function churnBounds(rows: readonly ChurnRow[]): Bound[] {
  return rows.flatMap(({ system, heapGrowthMB, rssGrowthMB, failures }) => [
    atMost(`${system}: heap, growth in the second half, MB`, heapGrowthMB, HEAP_GROWTH_MB),
    atMost(`${system}: resident memory, growth in the second half, MB`, rssGrowthMB, RSS_GROWTH_MB),
    atMost(`${system}: did not connect`, failures, 0),
  ]);
}
