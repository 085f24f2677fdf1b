import { ConfigError, NetError, checkKeys } from "@paceline/protocol";
import { afterOwnTime, systemScheduler } from "@paceline/transport";
import type { serverUrlOf } from "./match-request.js";

/** Measurement of one server. */
export interface EndpointLatency {
  readonly endpoint: string;
  /** Shortest round trip, ms; undefined without an answer. */
  readonly rttMs: number | undefined;
  /** Number of answered probes. */
  readonly answers: number;
  /** Reason for missing answers. */
  readonly problem?: string;
}

/** Settings of the measurement. */
export interface LatencyOptions {
  /**
   * Probes of each server, 1 to 20, one after another. Default 4. The first one includes the connection
   * setup.
   */
  readonly probes?: number;
  /**
   * Time limit for all probes of one server, ms, 100 to 60000. Default 3000. All servers are measured in
   * parallel.
   */
  readonly timeoutMs?: number;
}

const MAX_ENDPOINTS = 64;

/**
 * Measures servers by their `/health`, in parallel, and sorts them: the nearest first, those without an
 * answer last. Takes `timeoutMs` at most. Does not reject if a server fails.
 */
export async function measureEndpoints(
  endpoints: readonly string[],
  options: LatencyOptions,
  urlOf: typeof serverUrlOf,
): Promise<EndpointLatency[]> {
  checkKeys("", options, ["probes", "timeoutMs"]);
  const { probes = 4, timeoutMs = 3000 } = options;
  checkWhole("probes", probes, 1, 20, "probes");
  checkWhole("timeoutMs", timeoutMs, 100, 60_000, "ms");
  if (!Array.isArray(endpoints) || endpoints.length === 0 || endpoints.length > MAX_ENDPOINTS) {
    throw new ConfigError("endpoints", endpoints, `a list of 1 to ${MAX_ENDPOINTS} addresses`);
  }
  const urls = endpoints.map((endpoint) => `${urlOf(endpoint)}/health`);
  const measured = await Promise.all(
    endpoints.map((endpoint, index) => measure(endpoint, urls[index]!, probes, timeoutMs)),
  );
  return measured.sort((a, b) => (a.rttMs ?? Infinity) - (b.rttMs ?? Infinity));
}

/** Returns the nearest of the servers. Rejects with `match/unreachable` if none answers. */
export async function nearestEndpoint(
  endpoints: readonly string[],
  options: LatencyOptions,
  urlOf: typeof serverUrlOf,
): Promise<string> {
  const measured = await measureEndpoints(endpoints, options, urlOf);
  const [best] = measured;
  if (best?.rttMs !== undefined) return best.endpoint;
  const problems = measured.map(({ endpoint, problem }) => `${endpoint}: ${problem}`).join("; ");
  throw new NetError("match/unreachable", `no server answers (${problems})`, { retryable: true });
}

/** Round trips of one player to each server that could be the relay, ms, by address. */
export type RelayLatencies = Readonly<Record<string, number | undefined>>;

/** Result of {@link nearestRelay}. */
export interface RelayChoice {
  readonly endpoint: string;
  /** Longest round trip between two players through this relay, ms. */
  readonly worstMs: number;
  /** Mean round trip of all pairs, ms. */
  readonly meanMs: number;
}

/**
 * Returns the relay with the shortest round trip for the worst pair; of equals, the one with the shortest
 * mean. A packet between two players passes the relay, so the round trip of a pair is the sum of both
 * players' round trips to it. Leaves out a relay that some player cannot reach. Returns undefined if none is
 * left.
 */
export function nearestRelay(players: readonly RelayLatencies[]): RelayChoice | undefined {
  let best: RelayChoice | undefined;
  for (const endpoint of Object.keys(players[0] ?? {})) {
    const rtts = players.map((player) => player[endpoint]);
    if (!rtts.every((rttMs) => rttMs !== undefined && Number.isFinite(rttMs) && rttMs >= 0)) continue;
    const sorted = (rtts as number[]).slice().sort((a, b) => b - a);
    // The two most distant players are the worst pair. A single player counts once.
    const worstMs = sorted[0]! + (sorted[1] ?? 0);
    const meanMs =
      (sorted.reduce((sum, rttMs) => sum + rttMs, 0) / sorted.length) * Math.min(2, sorted.length);
    const isBetter = !best || worstMs < best.worstMs || (worstMs === best.worstMs && meanMs < best.meanMs);
    if (isBetter) best = { endpoint, worstMs, meanMs };
  }
  return best;
}

async function measure(
  endpoint: string,
  url: string,
  probes: number,
  timeoutMs: number,
): Promise<EndpointLatency> {
  const deadline = new AbortController();
  const { signal } = deadline;
  const cancel = afterOwnTime(systemScheduler, timeoutMs, () => deadline.abort());
  let rttMs: number | undefined;
  let answers = 0;
  try {
    while (answers < probes) {
      const sentAtMs = performance.now();
      // An unreadable (opaque) answer is enough to measure, so this works across origins without the server's
      // consent.
      const response = await fetch(url, { method: "HEAD", mode: "no-cors", cache: "no-store", signal });
      if (response.type !== "opaque" && !response.ok) throw new Error(`status ${response.status}`);
      rttMs = Math.min(rttMs ?? Infinity, performance.now() - sentAtMs);
      answers += 1;
    }
    return { endpoint, rttMs, answers };
  } catch (error) {
    const problem = signal.aborted ? `no answer within ${timeoutMs} ms` : String(error);
    return { endpoint, rttMs, answers, problem };
  } finally {
    cancel();
  }
}

function checkWhole(field: string, value: number, min: number, max: number, unit: string): void {
  if (Number.isInteger(value) && value >= min && value <= max) return;
  throw new ConfigError(field, value, `a whole number of ${unit} from ${min} to ${max}`);
}
