import { TrafficClass, type TrafficClassName } from "@paceline/protocol";
import type { Plan, Route } from "./plan.js";
import { profileRanges } from "./profile.js";

/** One line of an explanation, made for `console.table`. */
export interface PlanRow {
  readonly about: string;
  readonly choice: string;
  readonly reason: string;
}

/** The plan for people: every question with its answer and reason, then what follows for each class of traffic. */
export function describePlan(plan: Plan): PlanRow[] {
  const answers = plan.reasons.map(({ row, question, choice, reason }) => ({
    about: question,
    choice,
    reason: `${reason} [${row}]`,
  }));
  const classes = (Object.keys(TrafficClass) as TrafficClassName[]).map((name) => ({
    about: `class ${name}`,
    choice: routes(plan, plan.traffic[name]),
    reason: "follows from the answers above",
  }));
  return [...answers, ...classes, { about: "rates", choice: rates(plan), reason: rateReason(plan) }];
}

function routes(plan: Plan, { server, pair }: { server: Route; pair: Route }): string {
  if (!plan.canConnect) return `${server.delivery}, but no link to carry it`;
  const toServer = `to the server ${way(server)}`;
  return plan.pairsWith === "nobody" ? toServer : `to players ${way(pair)}; ${toServer}`;
}

function way({ delivery, links }: Route): string {
  return `${delivery} over ${links.join(", else ")}`;
}

function rates({ numbers }: Plan): string {
  const { stateHz, sendPeriodMs, heartbeatMs, thresholdM, headingRad } = numbers;
  return (
    `up to ${rounded(stateHz)} states/s, bundled for ${rounded(sendPeriodMs)} ms, heartbeat ${rounded(heartbeatMs)} ms, ` +
    `threshold ${rounded(thresholdM)} m and ${rounded(headingRad)} rad`
  );
}

function rateReason(plan: Plan): string {
  return `profile ${plan.circumstances.genre}, adapted by the answers above; bundles never wait longer than ${profileRanges.sendPeriodMs.max} ms`;
}

function rounded(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
