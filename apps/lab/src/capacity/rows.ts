import { TICK_HZ } from "../room/world.js";
import type { Bound } from "../result/bound.js";
import { botsSideCores, coresOf, statesPerSecond, type Probe } from "./probe.js";
import type { Found, Shape } from "./run-capacity.js";

/** The capacity of a system, with the figures of its largest size that held, else of the last that was tried. */
export interface CapacityRow {
  readonly system: string;
  readonly shape: Shape;
  /** Largest number of players. Absent if something other than the server ended the search. */
  readonly players?: number;
  /** Replaces `players` if a larger number was not tried, or failed because of something else. */
  readonly atLeastPlayers?: number;
  readonly hz: number;
  readonly ageMsP50?: number;
  readonly ageMsP99?: number;
  readonly serverCpuCores?: number;
  readonly ratioToColyseus?: number;
  readonly statesPerSecond?: number;
  readonly bytesPerPlayerPerSecond?: number;
  readonly botsSideCpuCores?: number;
  readonly checkersDelayMsP99?: number;
  readonly rssMb?: number;
  readonly wrong?: number;
  readonly stale?: number;
  readonly probes: number;
  /** Reason for the end of the search. */
  readonly limit: string;
}

const OURS = "paceline";
const COLYSEUS = "colyseus";
/** Required number of players as a share of Colyseus' number. */
const MIN_SHARE: Readonly<Record<Shape, number>> = { "one-room": 1, "rooms-of-16": 1.1 };

export function capacityRows(found: readonly Found[]): CapacityRow[] {
  const rows = found.map(rowOf);
  return rows.map((row) => {
    const colyseus = rows.find(({ system, shape }) => system === COLYSEUS && shape === row.shape);
    if (row.players === undefined || colyseus?.players === undefined) return row;
    return { ...row, ratioToColyseus: row.players / colyseus.players };
  });
}

function rowOf({ system, shape, search, best, last, limit, wrong }: Found): CapacityRow {
  const shown = best ?? last;
  const head = { system, shape, hz: TICK_HZ, probes: search.probes, ...(shown && figuresOf(shown)) };
  if (wrong !== undefined) return { ...head, limit: wrong };
  const reason = limit
    ? `${limit.limit}: ${limit.reason}`
    : search.held === undefined
      ? "no number of players was found that holds"
      : `no more than ${search.held} players were tried`;
  if (!best) return { ...head, limit: reason };
  const isMeasured = limit?.limit === "server" && search.isPrecise;
  const why = limit?.limit === "server" && !isMeasured ? `the search did not end; ${reason}` : reason;
  const players = isMeasured ? { players: best.players } : { atLeastPlayers: best.players };
  return { ...head, ...players, limit: why };
}

function figuresOf(probe: Probe) {
  const { server, checkers, bots } = probe;
  const count = bots.reduce((sum, each) => sum + each.bots, 0);
  const bytes = bots.reduce((sum, { bytesIn, seconds }) => sum + bytesIn / seconds, 0);
  return {
    ageMsP50: checkers.ageMsP50,
    ageMsP99: checkers.ageMsP99,
    serverCpuCores: coresOf(server),
    statesPerSecond: statesPerSecond(probe),
    ...(count > 0 && { bytesPerPlayerPerSecond: bytes / count }),
    botsSideCpuCores: botsSideCores(probe),
    checkersDelayMsP99: checkers.delayMsP99,
    rssMb: server.rssMb,
    wrong: checkers.wrong,
    stale: checkers.stale,
  };
}

/** Returns the bounds of Paceline's rows, relative to Colyseus in the same run. */
export function capacityBounds(rows: readonly CapacityRow[]): Bound[] {
  return rows
    .filter(({ system }) => system === OURS)
    .flatMap((row) => {
      const colyseus = rows.find(({ system, shape }) => system === COLYSEUS && shape === row.shape);
      if (!colyseus) return [];
      const limit = MIN_SHARE[row.shape];
      const bound = `${row.shape}: players, of ${COLYSEUS}`;
      const value = row.ratioToColyseus ?? leastRatio(row, colyseus);
      // A size that held shows that the bound holds, but never that it is missed.
      const isKnown = row.ratioToColyseus !== undefined || value >= limit;
      return [{ bound, value: isKnown ? value : Number.NaN, limit, holds: isKnown && value >= limit }];
    });
}

function leastRatio(
  { atLeastPlayers = Number.NaN }: CapacityRow,
  { players = Number.NaN }: CapacityRow,
): number {
  return atLeastPlayers / players;
}
