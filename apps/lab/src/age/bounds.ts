import { atMost, type Bound } from "../result/bound.js";
import type { AgeRow } from "./cells.js";

/**
 * Limit of the age: half a round trip and this many send intervals. With one interval it would be the best
 * possible.
 */
const WEBRTC_INTERVALS = 2;
const STRIPED_INTERVALS = 2.5;
/**
 * Three sockets, because the decision tree takes three at this loss rate. Two are measured as well, without a
 * limit.
 */
const STRIPED_SYSTEM = "websocket-striped-3";
const STRIPED_TO_NAIVE = 0.4;
const REPLACED_TO_NAIVE = 0.3;
const BOUND_LOSS_PERCENT = 5;

export function ageBounds(rows: readonly AgeRow[]): Bound[] {
  return [...lossBounds(rows), ...narrowBounds(rows)];
}

function lossBounds(rows: readonly AgeRow[]): Bound[] {
  const lossy = rows.filter(
    ({ network, lossPercent }) => network === "loss" && lossPercent === BOUND_LOSS_PERCENT,
  );
  const naive = lossy.find(({ system }) => system === "websocket-naive");
  return lossy.flatMap(({ system, rttMs, statesPerSecond, ageMsP99 }) => {
    const within = (intervals: number) => rttMs / 2 + (intervals * 1000) / statesPerSecond;
    const name = `${system}, ${BOUND_LOSS_PERCENT} % loss: age p99`;
    if (system === "webrtc-unreliable") return [atMost(`${name}, ms`, ageMsP99, within(WEBRTC_INTERVALS))];
    if (system !== STRIPED_SYSTEM || !naive) return [];
    return [
      atMost(`${name}, ms`, ageMsP99, within(STRIPED_INTERVALS)),
      atMost(`${name} to naive`, ageMsP99 / naive.ageMsP99, STRIPED_TO_NAIVE),
    ];
  });
}

function narrowBounds(rows: readonly AgeRow[]): Bound[] {
  const pairs = [
    ["websocket", "websocket-naive"],
    ["webrtc-unreliable", "webrtc-naive"],
  ] as const;
  return (["overload", "after-outage"] as const).flatMap((network) => {
    return pairs.flatMap(([ours, theirs]) => {
      const of = (name: string) => rows.find((row) => row.network === network && row.system === name);
      const [mine, naive] = [of(ours), of(theirs)];
      if (!mine || !naive) return [];
      return [
        atMost(`${ours}, ${network}: age p99 to naive`, mine.ageMsP99 / naive.ageMsP99, REPLACED_TO_NAIVE),
      ];
    });
  });
}
