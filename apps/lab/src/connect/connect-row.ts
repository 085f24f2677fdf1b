import { quantile } from "../codec/spread.js";
import type { ConnectRound } from "./measure.js";
import type { SystemName } from "./system.js";

/** Figures of one system. Those that were not measured are absent. */
export interface ConnectRow {
  readonly system: SystemName;
  readonly clients: number;
  readonly connectMsP50?: number;
  readonly connectMsP99?: number;
  readonly cpuMsPerConnect?: number;
  readonly rssKBPerConnection?: number;
  readonly echoCpuUs?: number;
  readonly echoCpuRatioToWs?: number;
  readonly echoCpuRatioToGeckos?: number;
  readonly echoMsP50?: number;
  readonly echoMsP99?: number;
  readonly failures: number;
  readonly echoesLost?: number;
  readonly wrong?: number;
}

/**
 * Combines rounds into one row: times of all connects together, costs as the median of the rounds, ratios per
 * round.
 */
export function connectRow(
  system: SystemName,
  measured: readonly ConnectRound[],
  all: ReadonlyMap<SystemName, readonly ConnectRound[]>,
  clients: number,
): ConnectRow {
  if (measured.length === 0) return { system, clients, failures: clients };
  const times = measured.flatMap(({ connectMs }) => connectMs);
  const latencies = measured.flatMap(({ echo }) => echo.latencyMs);
  const total = (of: (round: ConnectRound) => number) => measured.reduce((sum, round) => sum + of(round), 0);
  return {
    system,
    clients,
    connectMsP50: quantile(times, 0.5),
    connectMsP99: quantile(times, 0.99),
    cpuMsPerConnect: median(measured.map(({ cpuMsPerConnect }) => cpuMsPerConnect)),
    rssKBPerConnection: median(measured.map(({ rssKBPerConnection }) => rssKBPerConnection)),
    echoCpuUs: median(measured.map(({ echo }) => echo.cpuUsPerEcho)),
    ...ratio("echoCpuRatioToWs", measured, all.get("ws")),
    ...ratio("echoCpuRatioToGeckos", measured, all.get("geckos.io")),
    echoMsP50: quantile(latencies, 0.5),
    echoMsP99: quantile(latencies, 0.99),
    failures: total(({ failures }) => failures),
    echoesLost: total(({ echo }) => echo.sent - echo.received),
    wrong: total(({ echo }) => echo.wrong + echo.repeated),
  };
}

/** Returns the median of the rounds' ratios. Each ratio compares two runs of the same minute. */
function ratio<Key extends string>(
  key: Key,
  measured: readonly ConnectRound[],
  others: readonly ConnectRound[] = [],
): Partial<Record<Key, number>> {
  const ratios = measured.flatMap(({ echo }, round) => {
    const other = others[round];
    return other ? [echo.cpuUsPerEcho / other.echo.cpuUsPerEcho] : [];
  });
  return ratios.length === 0 ? {} : ({ [key]: median(ratios) } as Record<Key, number>);
}

function median(values: readonly number[]): number {
  return quantile(values, 0.5);
}
