import type { Explanation } from "@paceline/client";
import { planFor, profileOf, type Plan, type PlannedClass, type Profile } from "@paceline/transport";
import { lossRatio } from "@paceline/transport/simulated";
import {
  type Arrival,
  JUMP_PERIOD_MS,
  JUMPS_M,
  type Probe,
  type ProbeCell,
  profileIn,
  type SentPacket,
  STRAIGHT_MPS,
  TURNS_RAD,
} from "./plan-probe.js";

/** A statement of `explain()` that differs from the probe's observation. */
export interface Difference {
  readonly about: string;
  readonly claim: string;
  readonly seen: string;
}

/** One row of an explanation, with the observations to compare. */
interface Claimed {
  readonly cell: ProbeCell;
  readonly probe: Probe;
  readonly profile: Profile;
  readonly choice: string;
  /** True if the network loses and delays nothing, so that times are exact. */
  readonly isClean: boolean;
  /** Notes the claim as a difference if `isSo` is false. */
  say(isSo: boolean, claim: string, seen: unknown): void;
}

const MESSAGE_PERIOD_MS = 15;
const STEP_MS = 5;

/**
 * Compares a room's explanation with the observations, and its plans with the decision tree. Returns an empty
 * list if they agree.
 */
export function differences(cell: ProbeCell, probe: Probe): Difference[] {
  const found: Difference[] = [];
  const profile = profileOf(profileIn(cell));
  const { loss = { kind: "none" } as const, rateBps = Infinity, jitterMs = 0 } = cell.network ?? {};
  const isClean = loss.kind === "none" && rateBps === Infinity && jitterMs === 0;
  for (const { about, choice } of probe.explained) {
    const say = (isSo: boolean, claim: string, seen: unknown): void => {
      if (!isSo) found.push({ about, claim, seen: JSON.stringify(seen) });
    };
    const claim = claims[about.replace(/ \d+$/, "")];
    if (claim) claim({ cell, probe, profile, choice, isClean, say });
    else say(false, choice, "no check of this row");
  }
  for (const plan of probe.plans) {
    const [seen, claim] = [plan, planFor(plan.circumstances, profile)].map(outputsOf) as [string, string];
    if (seen !== claim) found.push({ about: "plan", claim, seen });
  }
  const changed = probe.recording.links.filter(
    ({ atMs }) => atMs > probe.times.watchMs && atMs <= probe.times.messagesMs,
  );
  if (changed.length > 0)
    found.push({ about: "links", claim: "none changes", seen: JSON.stringify(changed) });
  return found;
}

/** Returns the values that a plan sets, without their reasons. */
export function outputsOf({ circumstances: _c, inputs: _i, reasons: _r, ...outputs }: Plan): string {
  return JSON.stringify(outputs);
}

/** Checks of the rows of an explanation, by their names. */
const claims: Readonly<Record<string, (claimed: Claimed) => void>> = {
  game: gameClaim,
  states: statesClaim,
  messages: messagesClaim,
  rates: ratesClaim,
  budget: budgetClaim,
  "others are shown": shownClaim,
  device: deviceClaim,
  "measured now": measuredClaim,
  server: serverClaim,
  peer: peerClaim,
  players: playersClaim,
};
export const comparedRows = Object.keys(claims);

/** Counts the packets that the first player gave to its WebRTC links shortly before the explanation. */
function packets(probe: Probe, link: "direct" | "server", trafficClass?: string): number {
  const isMeant = ({ atMs, trafficClass: its }: SentPacket): boolean =>
    atMs > probe.times.standMs - 500 && atMs <= probe.times.standMs && its === (trafficClass ?? its);
  return probe.recording[link].filter(isMeant).length;
}

/** Words of the topology in the row of the game. */
const topologies: Readonly<Record<ProbeCell["topology"], string>> = {
  authority: "a server decides",
  relay: "players talk through the relay",
  mesh: "players talk with each other",
};

function gameClaim({ cell, probe, profile, choice, say }: Claimed): void {
  const { genre, favour } = profile;
  say(choice === `${genre}, favours ${favour}: ${topologies[cell.topology]}`, choice, { genre, favour });
  const { direct, moving } = probe.recording;
  // The first player of an authority moves nothing itself.
  const decides = probe.peers.length === 0 && moving.length > 0;
  say(decides === choice.includes(topologies.authority), choice, { peers: probe.peers });
  if (choice.includes(topologies.relay)) say(direct.length === 0, choice, { direct: direct.length });
}

function deviceClaim({ profile, choice, say }: Claimed): void {
  const { battery = "unknown", network = "unknown" } = profile.device;
  say(choice === `battery ${battery}, network ${network}`, choice, { battery, network });
}

function statesClaim({ cell, probe, choice, say }: Claimed): void {
  const [direct, server] = [packets(probe, "direct", "state"), packets(probe, "server", "state")];
  const isOrdered = choice.includes("all arrive, in order");
  if (isOrdered) say(direct + server === 0, "all states arrive, in order", { direct, server });
  if (cell.topology === "authority") {
    const all = packets(probe, "server");
    return say(all > 0 === choice.startsWith("WebRTC to the server"), choice, { packetsToServer: all });
  }
  const isDirect = / players over direct links/.test(choice);
  if (!isOrdered) say(direct > 0 === isDirect, choice, { direct });
  const isRelayed = choice.includes("relayed over");
  if (!isOrdered && isRelayed) say(server > 0 === choice.includes("relayed over WebRTC"), choice, { server });
}

function messagesClaim({ cell, probe, choice, isClean, say }: Claimed): void {
  const { commands, events } = probe.recording;
  linksOfMessagesClaim(probe, choice, say);
  const all = Array.from({ length: probe.sent }, (_, value) => value).join();
  const valuesOf = (arrivals: readonly Arrival[]) => arrivals.map(({ value }) => value).join();
  say(valuesOf(commands) === all, "commands arrive, in order", valuesOf(commands));
  const lifetimeMs = Number(/events are dropped after (\d+) ms/.exec(choice)?.[1] ?? Infinity);
  if (lifetimeMs === Infinity) say(valuesOf(events) === all, "events arrive, in order", valuesOf(events));
  // A packet that has left may wait in the network's own queue.
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
  // A reference must reach all receivers. It carries waiting messages along.
  const most = probe.peers.length > 1 ? gapsMs.length / 10 : 0;
  say(short <= most, `in packets ${periodMs} ms apart`, gapsMs);
}

/** What may be lost goes over WebRTC to the server, if states do. Commands recover sooner on the WebSocket. */
function linksOfMessagesClaim(probe: Probe, choice: string, say: Claimed["say"]): void {
  const { server, direct, inputs } = probe.recording;
  const sent = (packets: readonly SentPacket[], name: PlannedClass): number =>
    packets.filter(({ trafficClass }) => trafficClass === name).length;
  say(sent(server, "command") === 0, "commands stay on the WebSocket", sent(server, "command"));
  const mayBeDropped = choice.includes("events are dropped after");
  if (!mayBeDropped) say(sent(server, "event") === 0, choice, { eventsToServer: sent(server, "event") });
  const hasStates = packets(probe, "server") > 0;
  const areRelayed = probe.peers.every(({ path }) => path === "relay");
  if (hasStates && areRelayed && mayBeDropped) say(sent(server, "event") > 0, choice, "none on WebRTC");
  const areDirect = probe.peers.length > 0 && probe.peers.every(({ path }) => path === "direct");
  if (areDirect) say(sent(direct, "command") > 0, choice, "no command went directly");
  if (areDirect && mayBeDropped) say(sent(direct, "event") > 0, choice, "no event went directly");
  const hasInputs = inputs.some(({ value }) => value > 0);
  if (hasStates && hasInputs) say(sent(server, "input") > 0, "inputs go where states do", "none on WebRTC");
}

function gaps(arrivals: readonly { readonly atMs: number }[]): number[] {
  return arrivals.slice(1).map(({ atMs }, index) => atMs - arrivals[index]!.atMs);
}

function ratesClaim(claimed: Claimed): void {
  const { cell, probe, choice, isClean, say } = claimed;
  const { recording, times } = probe;
  // Measure before the messages begin, because they share the line.
  const span = recording.moving.filter(
    ({ atMs }) => atMs > times.messagesMs - 3000 && atMs <= times.messagesMs,
  );
  const perSecond = span.length / 3;
  const limit = Number(/up to ([\d.]+) (?:states\/s|times\/s)/.exec(choice)?.[1]);
  say(perSecond <= limit * 1.05 + 0.5, `up to ${limit} per second`, perSecond);
  nowClaim(claimed);
  const isShort = probe.explained.some(
    ({ about, choice: said }) => about === "budget" && said.includes("wait,"),
  );
  const periodMs = Number(/packets ([\d.]+) ms apart/.exec(choice)?.[1] ?? 0);
  // If entities wait for the budget, the row of the budget says so.
  if (isShort) return;
  repeatClaim(claimed, { periodMs, intervalMs: 1000 / limit });
  if (!isClean) return;
  if (cell.topology === "authority") {
    // With dead reckoning a state is sent when the prediction is wrong; otherwise whenever the entity has
    // moved.
    const least = isWhenMoved(choice) ? limit * 0.9 - 0.5 : limit * 0.6;
    say(perSecond >= least, choice, perSecond);
    return thresholdClaim(claimed, { periodMs: 0, intervalMs: 1000 / limit });
  }
  const packetsHz = 1000 / Math.max(periodMs, 1);
  say(limit <= packetsHz + 0.1, `up to ${limit} per second`, { packetsHz });
  // A state is also due in a step that comes a little early.
  const leastMs = periodMs - 500 / probe.tickHz - STEP_MS;
  // References to several receivers are messages, and come between packets of states.
  const short = gaps(span).filter((gapMs) => gapMs < leastMs).length;
  const most = probe.peers.length > 1 ? span.length / 10 : 0;
  say(short <= most, `packets ${periodMs} ms apart`, gaps(span));
  const wanted = Math.min(limit, packetsHz);
  say(perSecond >= wanted * 0.6, "what moves is sent as often as may be", { perSecond, wanted });
  heartbeatClaim(probe, choice, say);
  thresholdClaim(claimed, { periodMs, intervalMs: 1000 / limit });
}

/** Rates that may differ from those of another second of the drive, as a share and in states per second. */
const NOW_SHARE = 0.35;
const NOW_STATES = 4;

/** Checks the states of the last second. Others hear of the first player's car, and of its post and its sheep. */
function nowClaim({ cell, probe, choice, isClean, say }: Claimed): void {
  const { recording, times } = probe;
  if (!isClean || cell.sheep !== undefined) return;
  const last = recording.moving.filter(
    ({ atMs }) => atMs > times.standMs - 1000 && atMs <= times.standMs,
  ).length;
  const now = Number(/\(now ([\d.]+)/.exec(choice)?.[1]);
  say(Math.abs(now - last) <= NOW_SHARE * last + NOW_STATES, `now ${now} per second`, { last });
}

/** Range of the time between a copy of a state and the next one, beside the words, ms. */
interface CopyTimes {
  readonly periodMs: number;
  readonly intervalMs: number;
}

/**
 * Checks by the post's jumps if the newest state is repeated. States of an authority are not seen one by one.
 */
function repeatClaim({ cell, probe, choice, say }: Claimed, { periodMs, intervalMs }: CopyTimes): void {
  const { direct, server } = probe.recording;
  const sent = [...direct, ...server].filter(({ trafficClass }) => trafficClass === "state");
  if (cell.topology === "authority" || probe.peers.length > 1 || sent.length === 0) return;
  const saidMs = /once more if nothing newer follows within (\d+) ms/.exec(choice)?.[1];
  const afterMs = Number(saidMs ?? REPEAT_AFTER_MS);
  const stepMs = 1000 / probe.tickHz;
  // A second state says that the post stands again. An interpolated entity's is the second copy.
  const beginMs = Math.max(afterMs, intervalMs) + intervalMs - STEP_MS;
  // States that seem lost are sent again a little later.
  const endMs = beginMs + periodMs + STEP_MS;
  const jumps = jumpsOf(probe).flatMap(({ atMs }) => {
    const times = sent.map((packet) => packet.atMs).filter((at) => at >= atMs && at < atMs + JUMP_PERIOD_MS);
    return times.length > 0 ? [times.map((at) => at - times[0]!)] : [];
  });
  // Longer steps round the times of copies to those of heartbeats.
  if (stepMs > LONGEST_STEP_MS || endMs > JUMP_PERIOD_MS - stepMs || jumps.length < 3) return;
  const repeated = jumps.filter((times) => times.some((ms) => ms >= beginMs && ms <= endMs)).length;
  // Heartbeats of the car may come at the same time.
  const isSo = saidMs === undefined ? repeated <= jumps.length / 2 : repeated > jumps.length / 2;
  say(isSo, saidMs === undefined ? "nothing is repeated" : `once more after ${saidMs} ms`, {
    jumps,
    beginMs,
    endMs,
  });
}

function budgetClaim(claimed: Claimed): void {
  const { profile, choice, say } = claimed;
  const [, most] = /^at most (\d+) bytes\/s over all links; where not all can leave: /.exec(choice)!;
  const listed = choice.matchAll(/(\w+) \(priority (\d+), at least (\d+) %\)/g);
  const order = [...listed].map(([, name = "", priority, percents]) => ({
    name,
    priority: Number(priority),
    share: Number(percents) / 100,
  }));
  const { traffic } = profile;
  say(Number(most) === profile.sendBytesPerSecond, choice, profile.sendBytesPerSecond);
  const isSaid = order.every(({ name, priority, share }) => {
    const weight = traffic[name as PlannedClass];
    return weight.priority === priority && weight.share === share;
  });
  const isInOrder = order.every(({ priority }, at) => at === 0 || order[at - 1]!.priority >= priority);
  say(isSaid && isInOrder && order.length === Object.keys(traffic).length, choice, traffic);
  heldClaim(claimed);
  uplinkClaim(claimed, Number(most), order);
  stateBudgetClaim(claimed);
}

/**
 * States are held back only on a line that is full, where fewer arrive than may, or on one that loses: of an ack that
 * does not come, nobody knows if it waits.
 */
function heldClaim({ cell, probe, choice, isClean, say }: Claimed): void {
  if (!choice.includes("states are held back")) return;
  const { recording, times, explained } = probe;
  const rates = explained.find(({ about }) => about === "rates")!.choice;
  const limit = Number(/up to ([\d.]+) /.exec(rates)?.[1]);
  const perSecond = recording.moving.filter(
    ({ atMs }) => atMs > times.standMs - 1000 && atMs <= times.standMs,
  ).length;
  say(!isClean, choice, "nothing fills the line, and nothing is lost");
  if (cell.fillBytesPerSecond !== undefined) say(perSecond < limit * 0.9, choice, { perSecond, limit });
}

/** Checks the budget of all classes by the messages that fill it. */
function uplinkClaim(
  { cell, probe, say }: Claimed,
  most: number,
  order: readonly { readonly name: string; readonly share: number }[],
): void {
  const { fillBytesPerSecond = {}, warmUpMs = 6000, fillMs = warmUpMs } = cell;
  const { up, fills } = probe.recording;
  // A burst is over after two seconds.
  const [fromMs, toMs] = [probe.times.watchMs - warmUpMs + 2000, probe.times.watchMs - warmUpMs + fillMs];
  const perSecondOf = (sent: readonly Pick<SentPacket, "atMs" | "bytes">[]): number => {
    const inTime = sent.filter(({ atMs }) => atMs > fromMs && atMs <= toMs);
    return inTime.reduce((sum, { bytes }) => sum + bytes, 0) / ((toMs - fromMs) / 1000);
  };
  const sent = perSecondOf(up);
  // Pings and answers are not counted.
  say(sent <= most * 1.15, `at most ${most} bytes/s`, { sent });
  const wanted = Object.values(fillBytesPerSecond).reduce((sum, bytes) => sum + bytes, 0);
  if (wanted < most) return;
  say(sent >= most * 0.75, `at most ${most} bytes/s`, { sent });
  const filled = order
    .filter(({ name }) => name in fillBytesPerSecond)
    .map(({ name, share }) => ({
      name,
      share,
      bytes: perSecondOf(fills.filter(({ trafficClass }) => trafficClass === name)),
    }));
  const least = filled.every(({ share, bytes }) => bytes >= 0.7 * share * most);
  say(least, "at least its share", filled);
  const isFirst = filled.every(({ bytes }, at) => at === 0 || bytes < filled[0]!.bytes);
  say(isFirst, "the first goes first", filled);
}

/** Checks the budget of states by the sheep, which are due at every turn. */
function stateBudgetClaim({ cell, probe, choice, isClean, say }: Claimed): void {
  const { sheep = 0 } = cell;
  const { messagesMs } = probe.times;
  const [, budget, waiting = 0, needed] =
    /states get (\d+) bytes\/s: (\d+) entities wait, (\d+) bytes\/s would do/.exec(choice)?.map(Number) ?? [];
  if (sheep === 0) return say(waiting === 0, "entities wait", "nothing that moves but a car");
  if (!isClean) return;
  const isIn = ({ atMs }: { readonly atMs: number }): boolean =>
    atMs > messagesMs - 3000 && atMs <= messagesMs;
  const perSecond = probe.recording.sheep.filter(isIn).length / 3;
  const rates = probe.explained.find(({ about }) => about === "rates")!.choice;
  const periodMs = Number(/packets ([\d.]+) ms apart/.exec(rates)?.[1] ?? 0);
  // A sheep never stands still, so it is due at each turn.
  const wanted = sheep * Math.min(Number(/up to ([\d.]+) /.exec(rates)?.[1]), 1000 / periodMs);
  if (budget === undefined) return say(perSecond >= wanted * 0.9, "no entity waits", { perSecond, wanted });
  say(perSecond < wanted * 0.9 && waiting <= sheep + 2, choice, { perSecond, wanted });
  const { direct, down } = probe.recording;
  const states = cell.topology === "authority" ? down : direct;
  const bytesPerSecond =
    states.filter(isIn).reduce((sum, { bytes }) => sum + bytes, 0) / 3 / Math.max(1, probe.peers.length);
  say(bytesPerSecond > budget * 0.6 && bytesPerSecond < budget * 1.2, choice, { bytesPerSecond });
  // As many bytes as now, for each state that arrives.
  const would = (bytesPerSecond / perSecond) * wanted;
  say(needed! > would * 0.6 && needed! < would * 1.5, choice, { would });
}

/**
 * Returns true if a state is sent whenever the entity has moved, false if only when the receivers' prediction
 * is wrong.
 */
function isWhenMoved(choice: string): boolean {
  return /from the state before|has moved/.test(choice);
}

/** Share of the thresholds from which an interpolated entity counts as moved. */
const UNMOVED_SHARE = 0.1;
/**
 * Range around a threshold, in thresholds, in which either result is right: a state is rounded, and of a
 * moment near the step.
 */
const NEARLY = [0.75, 1.05] as const;

/**
 * Checks the thresholds by the post's jumps. One beyond a threshold arrives at once; a smaller one waits for
 * the next or for a heartbeat.
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
  // The delay to the server is half of that to another player.
  const delayMs = (cell.network?.delayMs ?? 0) / (cell.topology === "authority" ? 2 : 1);
  // Each of the two ways to send a state may have to wait for a step.
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
    // Before the post has moved, its heartbeats cannot be seen.
    else if (arrived && before.atMs > probe.times.jumpsMs) {
      const isBeat = (after.atMs - before.atMs) % heartbeatMs! < lateMs;
      say(isBeat, `a step of ${thresholds.join(" and ")} thresholds waits`, choice);
    }
  }
}

/** Returns the positions of the post, with their times. */
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

/** Returns the post's state at its receiver at a time. */
function lastOf(
  { recording }: Probe,
  atMs: number,
): { readonly atMs: number; readonly x: number; readonly heading: number } {
  const last = recording.jumps.findLast((arrival) => arrival.value !== "" && arrival.atMs <= atMs);
  const [x = 0, heading = 0] = (last?.value ?? "0 0").split(" ").map(Number);
  return { atMs: last?.atMs ?? -Infinity, x, heading };
}

/** Time after which a repeated state may come, if the words name none, ms. */
const REPEAT_AFTER_MS = 67;
const LONGEST_STEP_MS = 20;

/** Checks heartbeats on WebRTC only: packets of a WebSocket cannot be told apart. */
function heartbeatClaim(probe: Probe, choice: string, say: Claimed["say"]): void {
  const { recording, times, peers } = probe;
  const heartbeatMs = Number(/after (\d+) ms$/.exec(choice)?.[1]);
  const spanMs = times.jumpsMs - times.standMs - 1500;
  if (spanMs < heartbeatMs * 2) return;
  if (packets(probe, "direct", "state") + packets(probe, "server", "state") === 0) return;
  const isBeat = ({ atMs, trafficClass }: SentPacket): boolean =>
    trafficClass === "state" && atMs > times.standMs + 1500 && atMs < times.jumpsMs;
  const beats = [...recording.direct, ...recording.server].filter(isBeat).length;
  // Two entities, each with its own heartbeats, and the last states of the drive.
  const most = peers.length * (2 * Math.ceil(spanMs / heartbeatMs) + 2);
  say(beats >= 1 && beats <= most, `after ${heartbeatMs} ms`, { beats, spanMs });
}

function shownClaim({ probe, choice, isClean, say }: Claimed): void {
  const { moving, shown } = probe.recording;
  const { cutMs } = probe.times;
  const last = shown.findLast(({ atMs }) => atMs <= cutMs)!;
  // The car drives straight on. What is between two states lags the newest one.
  const leadM = last.value - moving.findLast(({ atMs }) => atMs <= last.atMs)!.value;
  const isBetween = choice.startsWith("between two states");
  if (isClean) say(isBetween === leadM < 0, choice, { leadM });
  const limitMs = Number(/for at most (\d+) ms without news/.exec(choice)?.[1] ?? Number.NaN);
  if (Number.isNaN(limitMs) || !isClean) return;
  const aheadM = shown.at(-1)!.value - moving.at(-1)!.value;
  const limitM = (STRAIGHT_MPS * limitMs) / 1000;
  say(Math.abs(aheadM - limitM) <= limitM * 0.15, choice, { aheadM, limitM });
}

function measuredClaim(claimed: Claimed): void {
  const { cell, choice, isClean, say } = claimed;
  const delayMs = cell.network?.delayMs ?? 0;
  const rttMs = Number(/round trip ([\d.]+) ms/.exec(choice)?.[1] ?? Number.NaN);
  // The round trip goes to the server in a room with an authority, else to another player, twice as far.
  const wireMs = cell.topology === "authority" ? delayMs : 2 * delayMs;
  if (isClean) say(Math.abs(rttMs - wireMs) <= 15, choice, { wireMs });
  const lost = /loss ([\d.]+) %/.exec(choice)?.[1];
  if (lost !== undefined) return lossClaim(claimed, Number(lost));
  say(!isLossKnown(claimed), choice, "states went over WebRTC for long enough");
}

/** Time after which the loss of states must be known, ms. */
const LOSS_KNOWN_AFTER_MS = 10_000;

function isLossKnown({ cell, probe }: Claimed): boolean {
  const mayBeLost = packets(probe, "direct", "state") + packets(probe, "server", "state") > 0;
  return mayBeLost && (cell.warmUpMs ?? 0) + (cell.watchMs ?? 0) >= LOSS_KNOWN_AFTER_MS;
}

/**
 * The check is loose, because a few seconds measure a share of some percent only roughly. But no loss must
 * read as none.
 */
function lossClaim({ cell, probe, choice, say }: Claimed, lostPercent: number): void {
  const rates = probe.explained.find(({ about }) => about === "rates")!.choice;
  const states = packets(probe, "direct", "state") + packets(probe, "server", "state");
  if (states > 0) {
    const isMuch = /loss [\d.]+ % \((raised|high)\)/.test(choice);
    say(isMuch === rates.includes("once more"), choice, rates);
  }
  const isSeen = probe.peers.some(({ path }) => path === "direct") || probe.recording.server.length > 0;
  const realPercent = lossRatio(cell.network?.loss ?? { kind: "none" }) * 100;
  say(isSeen, "loss cannot be seen on a WebSocket", choice);
  const interval = /between ([\d.]+) % and ([\d.]+) %/.exec(choice)?.slice(1).map(Number);
  if (interval)
    return say(interval[0]! <= realPercent && realPercent <= interval[1]!, choice, { real: realPercent });
  // If all states are reliable, only some tens of pings measure the loss.
  const most = states > 0 ? 2 : 3;
  const isSo =
    realPercent === 0 ? lostPercent === 0 : lostPercent > 0 && lostPercent <= most * realPercent + 0.5;
  say(isSo, choice, { real: realPercent });
}

function serverClaim({ probe, choice, say }: Claimed): void {
  const count = packets(probe, "server");
  say(count > 0 === choice.startsWith("states on webrtc"), choice, { packetsToServer: count });
  const sockets = Number(/(\d) websockets/.exec(choice)?.[1] ?? 1);
  say(sockets === probe.openSockets, choice, { openSockets: probe.openSockets });
  const stalls = probe.explained.find(({ about }) => about === "measured now")!.choice;
  // One of many stalls may be measured while its socket is being opened.
  if (sockets > 1) say(/\((some|many)\)/.test(stalls), choice, stalls);
}

function playersClaim({ probe, choice, say }: Claimed): void {
  const count = (path: string): number => probe.peers.filter((peer) => peer.path === path).length;
  const [, ...said] = /^(\d+): (\d+) direct, (\d+) through TURN, (\d+) relayed$/.exec(choice)!.map(Number);
  const seen = [probe.peers.length, count("direct"), count("turn"), count("relay")];
  say(said.join() === seen.join(), choice, seen);
  const states = packets(probe, "direct", "state");
  say(states > 0 === said[1]! > 0, choice, { states });
}

function peerClaim({ probe, choice, say }: Claimed): void {
  const states = packets(probe, "direct", "state");
  // An open link that is not in use is still measured.
  const isDirect = choice.startsWith("direct");
  say(isDirect ? packets(probe, "direct") > 0 : states === 0, choice, { states });
  if (isDirect) say(states > 0 === choice.includes("unordered"), choice, { states });
}

/** Returns the differences for a message, with the rows of the explanation in a line each. */
export function inWords(found: readonly Difference[], explained: readonly Explanation[]): string {
  const rows = found.map(({ about, claim, seen }) => `${about}: "${claim}", but ${seen}`);
  return rows.length === 0
    ? ""
    : [...rows, ...explained.map(({ about, choice }) => `  ${about}: ${choice}`)].join("\n");
}
