import {
  MAX_EVERY_TICKS,
  MAX_HEARTBEAT_MS,
  type EntityDefinition,
  type ViewLimits,
} from "@paceline/protocol";
import { REPEAT_AFTER_MS } from "@paceline/netcode";
import {
  decisionTree,
  explainPlan,
  hasDirectLinks,
  stateIntervalMs,
  type HeldBands,
  type LinkKind,
  type Measured,
  type Plan,
  type Explanation,
} from "@paceline/transport";
import type { ServerStats } from "../stats/path-stats.js";
import type { PeerConnection } from "../peers/peer-connection.js";
import type { Peer } from "../peers/peer.js";
import { everyTicksOf } from "../policy/state-policy.js";
import { number } from "./room-transport.js";

// Only room.transport.explain() fetches this file, because its texts are large.

/** Facts about a running room, of which its explanation is made. */
export interface RoomFacts {
  /** Steps per second of the room's authority; undefined in a mesh. */
  readonly authorityHz: number | undefined;
  readonly plan: Plan;
  /** Settings of the plan that the room overrides, and the states that wait. */
  readonly limits: ViewLimits | undefined;
  readonly measured: Measured | undefined;
  readonly held: HeldBands;
  /** Age of the measurements, ms. */
  readonly ageMs: number;
  readonly server: ServerStats;
  readonly serverPath: Explanation;
  readonly peers: readonly (Peer & Partial<Pick<PeerConnection, "awaitsDirect">>)[];
  readonly kinds: readonly EntityDefinition[];
}

/**
 * An interpolated entity is sent when it has moved by this share of the threshold: see netcode's
 * `SendDecision`.
 */
const UNMOVED_SHARE = 0.1;
/** With more players, one row counts them all. A report without details has at most twelve rows. */
const MAX_PEER_ROWS = 3;

/**
 * Explains the settings in force in at most twelve rows. `details` adds each answer of the decision tree and
 * each player's path.
 */
export async function explainRoom(room: RoomFacts, details: boolean): Promise<Explanation[]> {
  const answers = await explainPlan(room.plan);
  const reasonOf = (question: string): string =>
    answers[room.plan.reasons.findIndex((reason) => reason.question === question)]?.reason ?? "";
  const rows = [
    gameRow(room.plan, reasonOf("content")),
    statesRow(room, reasonOf),
    messagesRow(room, reasonOf("favour")),
    ratesRow(room, changesIn(room.plan, answers)),
    budgetRow(room),
    shownRow(room.plan),
    deviceRow(room.plan),
    measuredRow(room),
    room.serverPath,
  ];
  const { peers } = room;
  if (details || peers.length <= MAX_PEER_ROWS) rows.push(...peers.map(pathRow));
  else rows.push(playersRow(peers));
  return details ? [...answers, ...rows] : rows;
}

function gameRow({ inputs }: Plan, reason: string): Explanation {
  const topology = {
    authority: "a server decides",
    relay: "players talk through the relay",
    mesh: "players talk with each other",
  }[inputs.topology];
  const choice = `${inputs.genre}, favours ${inputs.favour}: ${topology}`;
  return { about: "game", choice, reason };
}

function statesRow(room: RoomFacts, reasonOf: (question: string) => string): Explanation {
  return room.authorityHz === undefined
    ? { about: "states", choice: statesOfPlayers(room), reason: reasonOf("paths") }
    : { about: "states", choice: statesOfServer(room), reason: reasonOf("server") };
}

function statesOfPlayers({ plan, server, peers }: RoomFacts): string {
  const direct = peers.filter(({ path }) => path === "direct" || path === "turn").length;
  const relay = `relayed over ${nameOf(server)}`;
  const rest = direct < peers.length ? `, the others ${relay}` : "";
  const now = direct > 0 ? `${direct} of ${peers.length} players over direct links${rest}` : `all ${relay}`;
  const waiting = peers.filter(({ awaitsDirect }) => awaitsDirect).length;
  const waits = waiting > 0 ? `; planned: direct links to ${waiting} of them, once they are proven` : "";
  const relayed = direct < peers.length ? server.stateLink : undefined;
  const how = arrival(plan, direct > 0 || relayed === "webrtc", relayed === "websocket");
  return `${now}; ${how}${serverWait(plan, server) ?? waits}`;
}

function statesOfServer({ plan, server }: RoomFacts): string {
  const how = arrival(plan, server.stateLink === "webrtc", server.stateLink === "websocket");
  return `${nameOf(server)} to the server; ${how}${serverWait(plan, server) ?? ""}`;
}

const kinds: Readonly<Partial<Record<LinkKind, string>>> = { webrtc: "WebRTC", websocket: "WebSocket" };

function nameOf({ stateLink }: ServerStats): string {
  return kinds[stateLink ?? "memory"] ?? "no link";
}

/** Says what becomes of states on links that lose packets, and on sockets, which send them again. */
function arrival({ channels }: Plan, mayBeLost: boolean, mayBeLate: boolean): string {
  if (channels.state.delivery === "ordered-reliable") return "all arrive, in order";
  const lost = mayBeLost ? ["a lost packet is not sent again"] : [];
  const late = mayBeLate ? ["what a WebSocket loses arrives late"] : [];
  return ["a newer one replaces one that waits here", ...lost, ...late].join(", ");
}

/** Says that the plan waits for a link to the server. Returns undefined if it does not. */
function serverWait(plan: Plan, { stateLink }: ServerStats): string | undefined {
  const isPlanned = plan.channels.state.links.includes("webrtc") && !hasDirectLinks(plan);
  const isWaiting = isPlanned && stateLink !== "webrtc";
  return isWaiting ? "; planned: WebRTC to the server, once it is proven" : undefined;
}

function messagesRow({ plan, authorityHz }: RoomFacts, reason: string): Explanation {
  const { event, command, state } = plan.channels;
  const events =
    event.delivery === "lifetime"
      ? `events are dropped after ${event.lifetimeMs} ms`
      : "events arrive, in order";
  // With ordered delivery a state is a reliable message, so messages that wait leave in its packet.
  const isShared = authorityHz === undefined && state.delivery === "ordered-reliable";
  const pace =
    command.periodMs === 0
      ? "each leaves at once"
      : `in packets ${number(command.periodMs)} ms apart${isShared ? ", or with states" : ""}`;
  return { about: "messages", choice: `${events}; commands arrive, in order; ${pace}`, reason };
}

/** Names the rows of the decision tree that changed the profile's rates. */
function changesIn({ reasons }: Plan, answers: readonly Explanation[]): string[] {
  const rows = decisionTree.flatMap((question) => question.rows);
  const isChange = (id: string): boolean => {
    const { factors, repeats } = rows.find((row) => row.id === id)?.sets ?? {};
    return factors !== undefined || repeats === true;
  };
  return reasons.flatMap(({ row }, at) =>
    isChange(row) ? [`${answers[at]?.about} ${answers[at]?.choice} [${row}]`] : [],
  );
}

function ratesRow(room: RoomFacts, changes: readonly string[]): Explanation {
  const { thresholdM, headingRad } = room.plan.numbers;
  const isInterpolated = room.plan.style === "interpolation";
  const share = isInterpolated ? UNMOVED_SHARE : 1;
  const [metres, radians] = [number(thresholdM * share), number(headingRad * share)];
  const threshold = isInterpolated
    ? `when it is ${metres} m or ${radians} rad from the state before`
    : `when it would be shown ${metres} m or ${radians} rad off`;
  const again = room.plan.repeats ? `, once more if nothing newer follows within ${REPEAT_AFTER_MS} ms` : "";
  const when = threshold + again;
  const own = room.kinds
    .filter(({ threshold: { position, heading } }) => position ?? heading)
    .map(({ name }) => name);
  const named = own.length > 0 ? `; ${own.join(", ")} by the threshold of the definition` : "";
  const { authorityHz: stepHz } = room;
  if (stepHz === undefined) {
    const reason = ["the profile's numbers", ...changes].join("; ");
    return { about: "rates", choice: ratesOfPlayers(room, when), reason: `${reason}${named}` };
  }
  const reason = limitsOfServer(room, stepHz, changes);
  return { about: "rates", choice: ratesOfServer(room, stepHz, when), reason: `${reason}${named}` };
}

/** @param when condition under which an entity is sent, as text */
function ratesOfPlayers({ plan, peers }: RoomFacts, when: string): string {
  const periodMs = number(plan.channels.state.periodMs);
  return (
    `up to ${number(1000 / stateIntervalMs(plan))} states/s of an entity${nowBetween(peers)}, in packets ${periodMs} ms apart: ${when}, ` +
    `or after ${number(plan.numbers.heartbeatMs)} ms`
  );
}

/** Says how many states of all entities were sent to a player and received from one in the last second. */
function nowBetween(peers: readonly Peer[]): string {
  if (peers.length === 0) return "";
  const highest = (rate: "updatesOutPerSecond" | "updatesInPerSecond"): number =>
    tenths(Math.max(...peers.map(({ stats }) => stats[rate])));
  return ` (now ${highest("updatesOutPerSecond")}/s of all to a player, ${highest("updatesInPerSecond")}/s from one)`;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

/** @param when condition under which an entity is sent, as text */
function ratesOfServer({ plan, server, limits }: RoomFacts, stepHz: number, when: string): string {
  const isLimited = Boolean(limits?.maxViews);
  const hz = number(isLimited ? stepHz : stepHz / everyTicksOf(plan, stepHz));
  const restMs = isLimited ? MAX_HEARTBEAT_MS : plan.numbers.heartbeatMs;
  const exactly = isLimited ? "when it would be shown off at all" : when;
  return (
    `the server sends up to ${hz} times/s (now ${tenths(server.statePacketsPerSecond)}): an entity ${exactly}, when anything else of it changes, ` +
    `or after ${number(restMs)} ms`
  );
}

/** @param changes rows of the decision tree that changed the profile's rates, as texts */
function limitsOfServer(
  { plan, limits = {} }: RoomFacts,
  stepHz: number,
  changes: readonly string[],
): string {
  const { maxViews, bytesPerSecond } = limits;
  const pace = maxViews
    ? `the room's limit: it follows ${maxViews} different plans, and sends exactly to the players of others`
    : [rateLimit(plan, stepHz), ...changes].join("; ");
  const bytes = bytesPerSecond
    ? `; the room's limit: ${number(bytesPerSecond)} bytes/s of states, the plan wants ${number(plan.numbers.stateBytesPerSecond)}`
    : "";
  return `${pace}${bytes}`;
}

function rateLimit(plan: Plan, stepHz: number): string {
  const wantedHz = 1000 / stateIntervalMs(plan);
  const steps = `${number(stepHz)} steps/s`;
  if (wantedHz > stepHz) {
    return `the room's limit: it makes ${steps}, the plan wants ${number(wantedHz)} states/s`;
  }
  if (stepHz / wantedHz > MAX_EVERY_TICKS) {
    return `the room's limit: one of ${MAX_EVERY_TICKS} steps at least, the plan wants ${number(wantedHz)} states/s`;
  }
  return `the plan wants ${number(wantedHz)} states/s; the room makes ${steps}`;
}

const HELD = "; states are held back: those before them take much longer than the path needs";

/** The budget applies while less can be sent than is waiting, at this participant or on the path. */
function budgetRow({ plan: { numbers, channels }, limits = {} }: RoomFacts): Explanation {
  const names = Object.keys(channels) as (keyof Plan["channels"])[];
  const order = names
    .sort((one, other) => channels[other].priority - channels[one].priority)
    .map(
      (name) => `${name} (priority ${channels[name].priority}, at least ${percent(channels[name].share)})`,
    );
  const { waiting, neededBytesPerSecond = 0, bytesPerSecond = Infinity, isHeld } = limits;
  const stateBytesPerSecond = Math.min(numbers.stateBytesPerSecond, bytesPerSecond);
  const short = `; states get ${number(stateBytesPerSecond)} bytes/s: ${waiting} entities wait, ${number(neededBytesPerSecond)} bytes/s would do`;
  const choice = `at most ${number(numbers.sendBytesPerSecond)} bytes/s over all links; where not all can leave: ${order.join(", ")}${waiting ? short : ""}${isHeld ? HELD : ""}`;
  const whose = limits.bytesPerSecond ? "the room's limit" : "the profile's number";
  const reason =
    "the highest priority leaves first, and each class that waits gets its share of the bytes: the profile's numbers and traffic";
  return { about: "budget", choice, reason: waiting ? `${reason}; stateBytesPerSecond is ${whose}` : reason };
}

function shownRow({ style, numbers }: Plan): Explanation {
  const choice =
    style === "interpolation"
      ? `between two states, ${number(numbers.interpolationDelayMs)} ms late at first, then as measured`
      : `where they are now, moved on for at most ${number(numbers.extrapolationLimitMs)} ms without news`;
  return {
    about: "others are shown",
    choice,
    reason: "the profile's style; an entity's definition may say otherwise",
  };
}

function deviceRow({ inputs }: Plan): Explanation {
  const choice = `battery ${inputs.battery}, network ${inputs.network}`;
  return { about: "device", choice, reason: "as far as the environment tells; unknown changes nothing" };
}

function measuredRow(room: RoomFacts): Explanation {
  const { measured, held, ageMs } = room;
  const about = "measured now";
  if (!measured) return { about, choice: "nothing yet", reason: "no ping was answered yet" };
  const values: (readonly [name: string, value: string | undefined, band?: string])[] = [
    ["round trip", measured.rttMs === undefined ? undefined : `${measured.rttMs.toFixed(0)} ms`, held.rtt],
    ["jitter", measured.jitterMs === undefined ? undefined : `${measured.jitterMs.toFixed(1)} ms`],
    ["queue", measured.queuedBytes === undefined ? undefined : `${measured.queuedBytes} bytes`, held.queue],
  ];
  if (room.plan.inputs.topology === "mesh") {
    const { uploadRatio } = measured;
    const share = uploadRatio === undefined ? undefined : `${percent(uploadRatio)} of the upload`;
    values.push(["direct links", share, held.upload]);
  }
  const rest = values.map(([name, value, band]) => measuredInWords(name, value, band));
  const choice = [...lossesInWords(room, measured), ...rest].join(", ");
  const age = `${(ageMs / 1000).toFixed(1)} s ago`;
  const reason = `the worst of the paths in use, ${age}; what is in brackets counts: worse after 3 s (stalls: at once), better after 15 s (stalls: 60 s)`;
  return { about, choice, reason };
}

/**
 * Says what is lost, and what stalls. On an ordered link to an authority, loss appears as stalls. On another link to
 * one, the text gives the confidence intervals of the loss.
 */
function lossesInWords({ authorityHz, server, held }: RoomFacts, measured: Measured): string[] {
  const { lossRatio, stallRatio } = measured;
  const loss = measuredInWords(
    "loss",
    lossRatio === undefined ? undefined : percent(lossRatio, 1),
    held.loss,
  );
  const stalls = measuredInWords(
    "stalls",
    stallRatio === undefined ? undefined : percent(stallRatio),
    held.stalls,
  );
  if (authorityHz === undefined) return [loss, stalls];
  if (server.stateLink === "websocket") {
    const { stalled, roundTrips } = server.stalls;
    return [`stalls: ${stalled} of ${roundTrips} round trips (${held.stalls}); loss cannot be seen here`];
  }
  const directions = lossRatio === undefined ? "" : `: ${directionsInWords(server)}`;
  return [`${loss}${directions}`, stalls];
}

function directionsInWords({ loss, outgoingLoss }: ServerStats): string {
  const words = (name: string, reading: ServerStats["loss"]): string => {
    if (!reading) return `${name} unknown, too few may be lost`;
    const { ratio, low, high, packets } = reading;
    const interval = `between ${percent(low, 1)} and ${percent(high, 1)} with 95 % certainty`;
    return `${name} ${percent(ratio, 1)}, ${interval} from ${packets} packets`;
  };
  return `${words("from the server", loss)}; ${words("to it", outgoingLoss)}`;
}

/** Returns a measured value, and in brackets the band in force. */
function measuredInWords(name: string, value: string | undefined, band?: string): string {
  if (value === undefined) return `${name} unknown`;
  return band === undefined ? `${name} ${value}` : `${name} ${value} (${band})`;
}

function percent(ratio: number, places = 0): string {
  return `${(ratio * 100).toFixed(places)} %`;
}

function playersRow(peers: readonly Peer[]): Explanation {
  const count = (path: Peer["path"]): number => peers.filter((peer) => peer.path === path).length;
  const choice = `${peers.length}: ${count("direct")} direct, ${count("turn")} through TURN, ${count("relay")} relayed`;
  return { about: "players", choice, reason: "explain({ details: true }) has each of them" };
}

function pathRow({ number, path, channel, reason }: Peer): Explanation {
  return { about: `peer ${number}`, choice: `${path}: ${channel}`, reason };
}
