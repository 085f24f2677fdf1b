import type { TrafficClassName } from "@paceline/protocol";
import type { PlanRow } from "./explain-plan.js";
import type { Plan, Reason, Route } from "./plan.js";
import { treeWords } from "./tree-words.js";

/** The upper end of `profileRanges.sendPeriodMs`, which is not loaded for this. */
const LONGEST_BUNDLE_MS = 100;

/** The plan for people: every question with its answer and reason, then what follows for each class of traffic. */
export function describePlan(plan: Plan): PlanRow[] {
  const answers = plan.reasons.map(answer);
  const classes = (Object.keys(plan.traffic) as TrafficClassName[]).map((name) => ({
    about: `class ${name}`,
    choice: routes(plan, plan.traffic[name]),
    reason: "follows from the answers above",
  }));
  return [...answers, ...classes, { about: "rates", choice: rates(plan), reason: rateReason(plan) }];
}

function answer({ question, row }: Reason): PlanRow {
  const words = treeWords.find((candidate) => candidate.question === question);
  const { choice, reason } = words?.rows[row] ?? { choice: row, reason: "" };
  return { about: words?.ask ?? question, choice, reason: `${reason} [${row}]` };
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
  return `profile ${plan.circumstances.genre}, adapted by the answers above; bundles never wait longer than ${LONGEST_BUNDLE_MS} ms`;
}

function rounded(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}
