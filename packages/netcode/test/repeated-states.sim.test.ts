import { readFileSync } from "node:fs";
import { seededRandom } from "@paceline/testkit";
import { expect, test } from "vitest";
import {
  DEFAULT_CONVERGENCE,
  InterpolatedBody,
  REPEAT_AFTER_MS,
  RemoteBody,
  SendDecision,
  newReckoner,
  type BodyLayout,
  type SendDecisionPolicy,
} from "../src/index.js";

// Shows what repeated states gain. The words of LOSS-1 in the decision tree contain these figures. An entity that
// is interpolated is sent twice when it stops, and three times with repeats.

const LAYOUT: BodyLayout = { position: 0, dimensions: 2, velocity: 2 };
const WIDTH = 4;
const TICK_S = 1 / 60;
const WAY_TICKS = 3;
const SPEED_MPS = 8;
const DRIVE_TICKS = 60 * 2000;

interface Shuttle {
  readonly lossRatio: number;
  readonly stateHz: number;
  readonly isInterpolated: boolean;
  readonly repeatAfterMs?: number;
}

/** Kept figures: an error without repeats and with them. */
interface Figures {
  readonly shownBy: "extrapolation" | "interpolation";
  readonly lossPercent: number;
  readonly stateHz: number;
  readonly of: string;
  readonly once: number;
  readonly repeated: number;
}

interface Seen {
  readonly meanM: number;
  readonly p99M: number;
  readonly statesPerSecond: number;
}

function policyOf({ stateHz, isInterpolated, repeatAfterMs = 0 }: Shuttle): SendDecisionPolicy {
  return {
    positionThresholdM: 0.1,
    headingThresholdRad: 0.1,
    horizonMs: 65,
    minIntervalMs: 1000 / stateHz,
    heartbeatMs: 250,
    movingHeartbeatMs: 300,
    repeatAfterMs,
    isInterpolated,
  };
}

/** Drives to and fro for 2000 s, with a stop of about a second after each second. Every state may be lost. */
function drive(shuttle: Shuttle): Seen {
  const { lossRatio, stateHz, isInterpolated } = shuttle;
  const policy = policyOf(shuttle);
  const velocity = () => newReckoner(LAYOUT, "velocity");
  const reckoners = { sent: velocity(), fresh: velocity() };
  const decision = new SendDecision({ layout: LAYOUT, ...reckoners, tickSeconds: TICK_S }, WIDTH);
  const options = { layout: LAYOUT, convergence: DEFAULT_CONVERGENCE, extrapolationLimitMs: 1000 };
  const late = new InterpolatedBody({ ...options, extrapolationLimitMs: 250 }, WIDTH);
  const present = new RemoteBody({ ...options, reckoner: velocity() }, WIDTH);
  const lagS = isInterpolated ? 0.05 + 2.5 / stateHz : 0;
  const [chance, road] = [seededRandom(3), seededRandom(9)];
  const truth: Float64Array[] = [];
  const onTheWay: { readonly tick: number; readonly row: Float64Array }[] = [];
  const shown = new Float64Array(WIDTH);
  const errorsM: number[] = [];
  let [x, speed, left, sent] = [0, 0, 0, 0];
  for (let tick = 0; tick < DRIVE_TICKS; tick++) {
    if (--left <= 0) {
      left = Math.round(60 * (0.4 + road.next() * 0.8));
      speed = speed !== 0 ? 0 : x > 0 ? -SPEED_MPS : SPEED_MPS;
    }
    x += speed * TICK_S;
    const row = Float64Array.of(x, 0, speed, 0);
    truth.push(row);
    const reason = decision.due(row, tick, policy);
    if (reason) {
      decision.sent(row, tick, reason);
      sent += 1;
      if (chance.next() >= lossRatio) onTheWay.push({ tick, row });
    }
    while (onTheWay[0] && onTheWay[0].tick + WAY_TICKS <= tick) {
      const state = onTheWay.shift()!;
      late.receive(state.row, state.tick * TICK_S);
      present.receive(state.row, state.tick * TICK_S, tick * TICK_S);
    }
    const seconds = tick * TICK_S - lagS;
    if (isInterpolated) late.show(seconds, shown);
    else present.show(seconds, shown);
    errorsM.push(Math.abs(shown[0]! - truth[Math.max(0, Math.round(seconds / TICK_S))]![0]!));
  }
  errorsM.sort((one, other) => one - other);
  return {
    meanM: errorsM.reduce((sum, errorM) => sum + errorM, 0) / errorsM.length,
    p99M: errorsM[Math.floor(errorsM.length * 0.99)]!,
    statesPerSecond: sent / (DRIVE_TICKS * TICK_S),
  };
}

const { rows } = JSON.parse(readFileSync(new URL("repeated-states.json", import.meta.url), "utf8")) as {
  readonly rows: readonly Figures[];
};

test.each(rows)("at a loss of $lossPercent % and $stateHz states/s, by $shownBy: $of", (row) => {
  const isInterpolated = row.shownBy === "interpolation";
  const shuttle = { lossRatio: row.lossPercent / 100, stateHz: row.stateHz, isInterpolated };
  const [once, repeated] = [drive(shuttle), drive({ ...shuttle, repeatAfterMs: REPEAT_AFTER_MS })];
  const errorOf = ({ meanM, p99M }: Seen): number => (isInterpolated ? p99M : meanM);
  expect(errorOf(once)).toBeCloseTo(row.once, 2);
  expect(errorOf(repeated)).toBeCloseTo(row.repeated, 2);
  expect(repeated.statesPerSecond / once.statesPerSecond).toBeLessThan(isInterpolated ? 1.06 : 1.25);
});
