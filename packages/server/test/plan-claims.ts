import type { Explanation } from "@paceline/client";
import { lossRatio } from "@paceline/transport/simulated";
import {
  type Arrival,
  JUMP_PERIOD_MS,
  JUMPS_M,
  type Probe,
  type ProbeCell,
  type SentPacket,
  STRAIGHT_MPS,
  TURNS_RAD,
} from "./plan-probe.js";

/** A sentence of `explain()` that the probe saw otherwise. */
export interface Difference {
  /** The row. */
  readonly about: string;
  readonly claim: string;
  readonly seen: string;
}

/** What is compared: one row of an explanation and what was seen. */
interface Claimed {
  readonly cell: ProbeCell;
  readonly probe: Probe;
  readonly choice: string;
  /** Nothing is lost and nothing waits on this network: times are exact. */
  readonly isClean: boolean;
  /** Notes a claim unless it holds. */
  say(isSo: boolean, claim: string, seen: unknown): void;
}

const MESSAGE_PERIOD_MS = 15;
const STEP_MS = 5;

/** Compares what a room said of itself with what was seen of it. Empty: all of it is so. */
export function differences(cell: ProbeCell, probe: Probe): Difference[] {
  const found: Difference[] = [];
  const { loss = { kind: "none" } as const, rateBps = Infinity, jitterMs = 0 } = cell.network ?? {};
  const isClean = loss.kind === "none" && rateBps === Infinity && jitterMs === 0;
  for (const { about, choice } of probe.explained) {
    const say = (isSo: boolean, claim: string, seen: unknown): void => {
      if (!isSo) found.push({ about, claim, seen: JSON.stringify(seen) });
    };
    claims[about.replace(/ \d+$/, "")]?.({ cell, probe, choice, isClean, say });
  }
  return found;
}

/** The rows of an explanation that are compared. */
const claims: Readonly<Record<string, (claimed: Claimed) => void>> = {
  states: statesClaim,
  messages: messagesClaim,
  rates: ratesClaim,
  "others are shown": shownClaim,
  "measured now": measuredClaim,
  server: serverClaim,
  peer: peerClaim,
};
export const comparedRows = Object.keys(claims);

/** What the first player gave to its links of WebRTC shortly before it explained itself. */
function packets(probe: Probe, link: "direct" | "server", trafficClass?: string): number {
  const isMeant = ({ atMs, trafficClass: its }: SentPacket): boolean =>
    atMs > probe.times.standMs - 500 && atMs <= probe.times.standMs && its === (trafficClass ?? its);
  return probe.recording[link].filter(isMeant).length;
}

function statesClaim({ cell, probe, choice, say }: Claimed): void {
  const [direct, server] = [packets(probe, "direct", "state"), packets(probe, "server", "state")];
  const isOrdered = choice.includes("all arrive, in order");
  if (isOrdered) say(direct + server === 0, "all states arrive, in order", { direct, server });
  if (cell.topology === "authority") {
    const all = packets(probe, "server");
    return say(all > 0 === choice.startsWith("WebRTC to the server"), choice, { packetsToServer: all });
  }
  const [, near = "", count = ""] = /^(\d+) of (\d+) players over WebRTC/.exec(choice) ?? [];
  if (!isOrdered) say(direct > 0 === Number(near) > 0, choice, { direct });
  const isRelayed = Number(near) < Number(count);
  if (!isOrdered && isRelayed) say(server > 0 === choice.includes("relayed over WebRTC"), choice, { server });
}

function messagesClaim({ cell, probe, choice, isClean, say }: Claimed): void {
  const { commands, events } = probe.recording;
  const all = Array.from({ length: probe.sent }, (_, value) => value).join();
  const valuesOf = (arrivals: readonly Arrival[]) => arrivals.map(({ value }) => value).join();
  say(valuesOf(commands) === all, "commands arrive, in order", valuesOf(commands));
  const lifetimeMs = Number(/events are dropped after (\d+) ms/.exec(choice)?.[1] ?? Infinity);
  if (lifetimeMs === Infinity) say(valuesOf(events) === all, "events arrive, in order", valuesOf(events));
  // What has left may wait in the network's own queue.
  const onTheWayMs = (cell.network?.delayMs ?? 0) + (isClean ? STEP_MS : 2000);
  const ages = events.map(({ atMs, value }) => atMs - (probe.times.messagesMs + value * MESSAGE_PERIOD_MS));
  say(Math.max(...ages) <= lifetimeMs + onTheWayMs, `events within ${lifetimeMs} ms`, Math.max(...ages));
  if (!isClean) return;
  say(events.length === probe.sent, "no event is lost on a clean network", events.length);
  const batches = [...new Set(commands.map(({ atMs }) => atMs))];
  const gapsMs = gaps(batches.map((atMs) => ({ atMs })));
  const periodMs = Number(/in packets ([\d.]+) ms apart/.exec(choice)?.[1] ?? 0);
  if (periodMs === 0) return say(batches.length === probe.sent, "each leaves at once", batches.length);
  if (choice.endsWith("or with states")) {
    const most = (probe.sent * MESSAGE_PERIOD_MS) / periodMs + (probe.sent * MESSAGE_PERIOD_MS) / 100 + 2;
    return say(batches.length <= most, choice, batches.length);
  }
  const short = gapsMs.filter((gapMs) => gapMs < periodMs - 2 * STEP_MS).length;
  // A reference, which all of several receivers have to get, takes along what waits.
  const most = probe.peers.length > 1 ? gapsMs.length / 10 : 0;
  say(short <= most, `in packets ${periodMs} ms apart`, gapsMs);
}

function gaps(arrivals: readonly { readonly atMs: number }[]): number[] {
  return arrivals.slice(1).map(({ atMs }, index) => atMs - arrivals[index]!.atMs);
}

function ratesClaim(claimed: Claimed): void {
  const { cell, probe, choice, isClean, say } = claimed;
  const { recording, times } = probe;
  // Before the messages: these share the line.
  const span = recording.moving.filter(
    ({ atMs }) => atMs > times.messagesMs - 3000 && atMs <= times.messagesMs,
  );
  const perSecond = span.length / 3;
  const limit = Number(/up to ([\d.]+) (?:states\/s|times\/s)/.exec(choice)?.[1]);
  say(perSecond <= limit * 1.05 + 0.5, `up to ${limit} per second`, perSecond);
  if (!isClean) return;
  if (cell.topology === "authority") {
    // What is reckoned ahead is sent when it is off, everything else whenever it has moved.
    const least = isWhenMoved(choice) ? limit * 0.9 - 0.5 : limit * 0.6;
    say(perSecond >= least, choice, perSecond);
    return thresholdClaim(claimed, { periodMs: 0, intervalMs: 1000 / limit });
  }
  const periodMs = Number(/packets ([\d.]+) ms apart/.exec(choice)?.[1]);
  // What is due in a step that comes a little early counts.
  const leastMs = periodMs - 500 / probe.tickHz - STEP_MS;
  // References, which all of several receivers have to get, are messages and come between packets of states.
  const short = gaps(span).filter((gapMs) => gapMs < leastMs).length;
  const most = probe.peers.length > 1 ? span.length / 10 : 0;
  say(short <= most, `packets ${periodMs} ms apart`, gaps(span));
  const wanted = Math.min(limit, 1000 / Math.max(periodMs, 1));
  say(perSecond >= wanted * 0.6, "what moves is sent as often as may be", { perSecond, wanted });
  heartbeatClaim(probe, choice, say);
  thresholdClaim(claimed, { periodMs, intervalMs: 1000 / limit });
}

/** Whether entities are sent when they have moved, or when receivers would show them elsewhere. */
function isWhenMoved(choice: string): boolean {
  return /from the state before|has moved/.test(choice);
}

/** An entity that is shown between its states counts as moved from this share of the thresholds on. */
const UNMOVED_SHARE = 0.1;
/** So near to a threshold it is not clear what is sent: a state is that of a moment around the step, and rounded. */
const NEARLY = [0.75, 1.05] as const;

/**
 * The post makes one step after the other: one beyond a threshold arrives at once, any other waits for the next or for a
 * heartbeat.
 */
function thresholdClaim(
  { cell, probe, choice, say }: Claimed,
  { periodMs, intervalMs }: { readonly periodMs: number; readonly intervalMs: number },
): void {
  const [, positionM, headingRad, heartbeatMs] = /([\d.]+) m or (?:turned )?([\d.]+) rad.* after (\d+) ms$/
    .exec(choice)!
    .map(Number);
  const share = isWhenMoved(choice) ? 1 : UNMOVED_SHARE;
  const stepMs = 1000 / probe.tickHz;
  // The server is half as far as another player.
  const delayMs = (cell.network?.delayMs ?? 0) / (cell.topology === "authority" ? 2 : 1);
  // Each of the two ways to send it may have to wait for a step.
  const lateMs = delayMs + periodMs + intervalMs + 2 * stepMs + 3 * STEP_MS;
  for (const { atMs, x, heading } of jumpsOf(probe)) {
    const before = lastOf(probe, atMs + delayMs);
    const thresholds = [
      Math.abs(x - before.x) / (positionM! * share),
      Math.abs(heading - before.heading) / (headingRad! * share),
    ];
    const isOver = Math.max(...thresholds) > NEARLY[1];
    if (lateMs > JUMP_PERIOD_MS || (!isOver && Math.max(...thresholds) > NEARLY[0])) continue;
    const after = lastOf(probe, atMs + (isOver ? lateMs : JUMP_PERIOD_MS));
    const arrived = after.atMs > before.atMs;
    if (isOver) say(arrived, `a step of ${thresholds.join(" and ")} thresholds arrives`, choice);
    // Before it has moved nobody sees its heartbeats.
    else if (arrived && before.atMs > probe.times.jumpsMs) {
      const isBeat = (after.atMs - before.atMs) % heartbeatMs! < lateMs;
      say(isBeat, `a step of ${thresholds.join(" and ")} thresholds waits`, choice);
    }
  }
}

/** Where the post was put, and when. */
function jumpsOf({
  times,
}: Probe): { readonly atMs: number; readonly x: number; readonly heading: number }[] {
  let [x, heading] = [0, 0];
  const steps = [
    ...JUMPS_M.map((jump) => ({ x: jump, heading: 0 })),
    ...TURNS_RAD.map((turn) => ({ x: 0, heading: turn })),
  ];
  return steps.map((step, index) => {
    x += step.x;
    heading += step.heading;
    return { atMs: times.jumpsMs + index * JUMP_PERIOD_MS, x, heading };
  });
}

/** The post as its receiver had it at a time. */
function lastOf(
  { recording }: Probe,
  atMs: number,
): { readonly atMs: number; readonly x: number; readonly heading: number } {
  const last = recording.jumps.findLast((arrival) => arrival.value !== "" && arrival.atMs <= atMs);
  const [x = 0, heading = 0] = (last?.value ?? "0 0").split(" ").map(Number);
  return { atMs: last?.atMs ?? -Infinity, x, heading };
}

/** Only where states go over WebRTC: what a WebSocket carries is not told apart. */
function heartbeatClaim(probe: Probe, choice: string, say: Claimed["say"]): void {
  const { recording, times, peers } = probe;
  const heartbeatMs = Number(/after (\d+) ms$/.exec(choice)?.[1]);
  const spanMs = times.jumpsMs - times.standMs - 1500;
  if (spanMs < heartbeatMs * 2) return;
  if (packets(probe, "direct", "state") + packets(probe, "server", "state") === 0) return;
  const isBeat = ({ atMs, trafficClass }: SentPacket): boolean =>
    trafficClass === "state" && atMs > times.standMs + 1500 && atMs < times.jumpsMs;
  const beats = [...recording.direct, ...recording.server].filter(isBeat).length;
  // Of two entities, each with its own; and what the drive left to say.
  const most = peers.length * (2 * Math.ceil(spanMs / heartbeatMs) + 2);
  say(beats >= 1 && beats <= most, `after ${heartbeatMs} ms`, { beats, spanMs });
}

function shownClaim({ probe, choice, isClean, say }: Claimed): void {
  const limitMs = Number(/for at most (\d+) ms without news/.exec(choice)?.[1] ?? Number.NaN);
  if (Number.isNaN(limitMs) || !isClean) return;
  const { moving, shown } = probe.recording;
  const aheadM = shown.at(-1)! - moving.at(-1)!.value;
  const limitM = (STRAIGHT_MPS * limitMs) / 1000;
  say(Math.abs(aheadM - limitM) <= limitM * 0.15, choice, { aheadM, limitM });
}

function measuredClaim(claimed: Claimed): void {
  const { cell, choice, isClean, say } = claimed;
  const delayMs = cell.network?.delayMs ?? 0;
  const rttMs = Number(/round trip ([\d.]+) ms/.exec(choice)?.[1] ?? Number.NaN);
  // Half of the delay to the server, all of it to another player.
  const wireMs = cell.topology === "authority" ? delayMs : 2 * delayMs;
  if (isClean) say(Math.abs(rttMs - wireMs) <= 15, choice, { wireMs });
  const lost = /loss ([\d.]+) %/.exec(choice)?.[1];
  if (lost !== undefined) lossClaim(claimed, Number(lost));
}

/** Loose, since a few seconds tell a share of some percent only roughly; but nothing is nothing. */
function lossClaim({ cell, probe, choice, say }: Claimed, lostPercent: number): void {
  const isSeen = probe.peers.some(({ path }) => path === "direct") || probe.recording.server.length > 0;
  const realPercent = lossRatio(cell.network?.loss ?? { kind: "none" }) * 100;
  say(isSeen, "loss cannot be seen on a WebSocket", choice);
  const interval = /between ([\d.]+) % and ([\d.]+) %/.exec(choice)?.slice(1).map(Number);
  if (interval)
    return say(interval[0]! <= realPercent && realPercent <= interval[1]!, choice, { real: realPercent });
  // Where all states arrive, some tens of pings alone tell it.
  const states = packets(probe, "direct", "state") + packets(probe, "server", "state");
  const most = states > 0 ? 2 : 3;
  const isSo =
    realPercent === 0 ? lostPercent === 0 : lostPercent > 0 && lostPercent <= most * realPercent + 0.5;
  say(isSo, choice, { real: realPercent });
}

function serverClaim({ probe, choice, say }: Claimed): void {
  const count = packets(probe, "server");
  say(count > 0 === choice.startsWith("states on webrtc"), choice, { packetsToServer: count });
}

function peerClaim({ probe, choice, say }: Claimed): void {
  const states = packets(probe, "direct", "state");
  // A link that is open and not in use is still measured.
  const isDirect = choice.startsWith("direct");
  say(isDirect ? packets(probe, "direct") > 0 : states === 0, choice, { states });
  if (isDirect) say(states > 0 === choice.includes("unordered"), choice, { states });
}

/** The rows of an explanation in one line each, for a message. */
export function inWords(found: readonly Difference[], explained: readonly Explanation[]): string {
  const rows = found.map(({ about, claim, seen }) => `${about}: "${claim}", but ${seen}`);
  return rows.length === 0
    ? ""
    : [...rows, ...explained.map(({ about, choice }) => `  ${about}: ${choice}`)].join("\n");
}
