import {
  MAX_EVERY_TICKS,
  MAX_HEARTBEAT_MS,
  type EntityDefinition,
  type ViewLimits,
} from "@paceline/protocol";
import { explainPlan, type HeldBands, type LinkKind, type Measured, type Plan } from "@paceline/transport";
import type { ServerStats } from "../paths/path-stats.js";
import type { Peer } from "../peers/peer.js";
import type { Explanation } from "../paths/choice.js";
import { everyTicksOf } from "../plan/state-policy.js";
import { stateIntervalMs } from "../plan/view-plan.js";

// Words take room: only room.transport.explain() fetches this file.

/** A running room, as far as it is explained. */
export interface ExplainedRoom {
  readonly plan: Plan;
  /** Steps per second that an authority makes; undefined: there is none. */
  readonly authorityHz: number | undefined;
  /** What of the plan the authority does not follow. */
  readonly limits?: ViewLimits | undefined;
  readonly measured: Measured | undefined;
  readonly held: HeldBands;
  /** How old the measurement is, ms. */
  readonly ageMs: number;
  readonly server: ServerStats;
  readonly serverPath: Explanation;
  readonly peers: readonly Peer[];
  /** Of entities, that the game uses. */
  readonly kinds: readonly EntityDefinition[];
}

/** Shown between its states, an entity has moved from this share of the threshold on: as netcode's `Publication` decides. */
const UNMOVED_SHARE = 0.1;
/** Beyond so many, players are counted together: at first sight there are at most twelve rows. */
const MAX_PEER_ROWS = 3;

/** What is in force, in at most twelve rows; with `details` each answer of the tree and each player's path too. */
export async function explainRoom(room: ExplainedRoom, details: boolean): Promise<Explanation[]> {
  const answers = await explainPlan(room.plan);
  const reasonOf = (question: string): string =>
    answers[room.plan.reasons.findIndex((reason) => reason.question === question)]?.reason ?? "";
  const rows = [
    gameRow(room.plan, reasonOf("content")),
    statesRow(room, room.authorityHz === undefined ? reasonOf("paths") : reasonOf("server")),
    messagesRow(room, reasonOf("favour")),
    ratesRow(room),
    budgetRow(room.plan),
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

const kinds: Readonly<Partial<Record<LinkKind, string>>> = { webrtc: "WebRTC", websocket: "WebSocket" };

function statesRow({ plan, authorityHz, server, peers }: ExplainedRoom, reason: string): Explanation {
  const { delivery, links } = plan.channels.state;
  const direct = peers.filter(({ path }) => path === "direct" || path === "turn").length;
  const toServer = kinds[server.stateLink ?? "memory"] ?? "no link";
  const now =
    authorityHz !== undefined
      ? `${toServer} to the server`
      : `${direct} of ${peers.length} players over WebRTC${direct < peers.length ? `, the others relayed over ${toServer}` : ""}`;
  const waits = waitsFor(links[0], {
    server,
    direct,
    players: peers.length,
    isHosted: authorityHz !== undefined,
  });
  const order =
    delivery === "newest-wins" ? "the newest wins, lost ones are not repeated" : "all arrive, in order";
  const isTcp = authorityHz !== undefined && server.stateLink === "websocket";
  const onTcp =
    isTcp && delivery === "newest-wins"
      ? "a newer one replaces one that waits here, what the network loses comes late"
      : order;
  return { about: "states", choice: `${now}; ${onTcp}${waits}`, reason };
}

/** Where the plan wants a link that is not there yet. */
function waitsFor(
  link: Plan["channels"]["state"]["links"][number] | undefined,
  there: {
    readonly server: ServerStats;
    readonly direct: number;
    readonly players: number;
    readonly isHosted: boolean;
  },
): string {
  const lacksServer = link === "webrtc" && there.server.stateLink !== "webrtc";
  if (lacksServer) return "; planned: WebRTC to the server, once it is proven";
  const lacksDirect = link === "direct" && !there.isHosted && there.direct < there.players;
  return lacksDirect ? "; planned: direct links, as far as they can be proven" : "";
}

function messagesRow({ plan, authorityHz }: ExplainedRoom, reason: string): Explanation {
  const { event, command, state } = plan.channels;
  // States that have to arrive are messages as well: what waits leaves with them.
  const orStates =
    authorityHz === undefined && state.delivery === "ordered-reliable" ? ", or with states" : "";
  const events =
    event.delivery === "lifetime"
      ? `events are dropped after ${event.lifetimeMs} ms`
      : "events arrive, in order";
  const pace =
    command.periodMs === 0
      ? "each leaves at once"
      : `in packets ${number(command.periodMs)} ms apart${orStates}`;
  return { about: "messages", choice: `${events}; commands arrive, in order; ${pace}`, reason };
}

function ratesRow({ plan, authorityHz, limits = {}, kinds }: ExplainedRoom): Explanation {
  const { stateHz, thresholdM, headingRad, heartbeatMs } = plan.numbers;
  const isInterpolated = plan.style === "interpolation";
  const share = isInterpolated ? UNMOVED_SHARE : 1;
  const [metres, radians] = [number(thresholdM * share), number(headingRad * share)];
  const when = isInterpolated
    ? `when it is ${metres} m or ${radians} rad from the state before`
    : `when it would be shown ${metres} m or ${radians} rad off`;
  const own = kinds
    .filter(({ threshold: { position, heading } }) => position ?? heading)
    .map(({ name }) => name);
  const named = own.length > 0 ? `; ${own.join(", ")} by the threshold of the definition` : "";
  if (authorityHz === undefined) {
    const periodMs = number(plan.channels.state.periodMs);
    const choice =
      `up to ${number(stateHz)} states/s of an entity, in packets ${periodMs} ms apart: ${when}, ` +
      `or after ${number(heartbeatMs)} ms`;
    return { about: "rates", choice, reason: `the profile, adapted to what is measured${named}` };
  }
  const { maxViews, bytesPerSecond } = limits;
  const hz = number(maxViews ? authorityHz : authorityHz / everyTicksOf(plan, authorityHz));
  const restMs = maxViews ? MAX_HEARTBEAT_MS : Math.min(heartbeatMs, MAX_HEARTBEAT_MS);
  const exactly = maxViews ? "when it would be shown off at all" : when;
  const choice =
    `the server sends up to ${hz} times/s: an entity ${exactly}, when anything else of it changes, ` +
    `or after ${number(restMs)} ms`;
  const pace = maxViews
    ? `the room's limit: it follows ${maxViews} different plans, and sends exactly to the players of others`
    : rateLimit(plan, authorityHz);
  const bytes = bytesPerSecond
    ? `; the room's limit: ${number(bytesPerSecond)} bytes/s of states, the profile wants ${number(plan.numbers.stateBytesPerSecond)}`
    : "";
  return { about: "rates", choice, reason: `${pace}${bytes}${named}` };
}

/** Whose rate counts: the profile's, or a limit of the room. */
function rateLimit(plan: Plan, authorityHz: number): string {
  const wantedHz = 1000 / stateIntervalMs(plan);
  const steps = `${number(authorityHz)} steps/s`;
  if (wantedHz > authorityHz) {
    return `the room's limit: it makes ${steps}, the profile wants ${number(wantedHz)} states/s`;
  }
  if (authorityHz / wantedHz > MAX_EVERY_TICKS) {
    return `the room's limit: one of ${MAX_EVERY_TICKS} steps at least, the profile wants ${number(wantedHz)} states/s`;
  }
  return `the profile wants ${number(wantedHz)} states/s; the room makes ${steps}`;
}

/** While less can be sent than wants to go, here or on the path. */
function budgetRow({ numbers, channels }: Plan): Explanation {
  const names = Object.keys(channels) as (keyof Plan["channels"])[];
  const order = names
    .sort((one, other) => channels[other].priority - channels[one].priority)
    .map((name) => `${name} ${percent(channels[name].share)}`);
  const choice = `at most ${number(numbers.sendBytesPerSecond)} bytes/s over all links; what is short of room: ${order.join(", ")}`;
  const reason =
    "the first goes first, each that waits gets its share at least: the profile's numbers and traffic";
  return { about: "budget", choice, reason };
}

function shownRow({ style, numbers }: Plan): Explanation {
  const choice =
    style === "interpolation"
      ? `between two states, ${number(numbers.interpolationDelayMs)} ms late at first, then as measured`
      : `where they are now, moved on for at most ${number(numbers.extrapolationLimitMs)} ms without news`;
  return {
    about: "others are shown",
    choice,
    reason: "the profile's way; an entity's definition may say otherwise",
  };
}

function deviceRow({ inputs, repeats }: Plan): Explanation {
  const choice = `battery ${inputs.battery}, network ${inputs.network}${repeats ? "; the newest state is repeated" : ""}`;
  return { about: "device", choice, reason: "as far as the environment tells; unknown changes nothing" };
}

function playersRow(peers: readonly Peer[]): Explanation {
  const count = (path: Peer["path"]): number => peers.filter((peer) => peer.path === path).length;
  const choice = `${peers.length}: ${count("direct")} direct, ${count("turn")} through TURN, ${count("relay")} relayed`;
  return { about: "players", choice, reason: "explain({ details: true }) has each of them" };
}

function number(value: number): string {
  return String(Math.round(value * 1000) / 1000);
}

/** What was measured, how it counts and how old it is, as a row of an explanation. */
function measuredRow(room: ExplainedRoom): Explanation {
  const { measured, held, ageMs } = room;
  const about = "measured now";
  if (!measured) return { about, choice: "nothing yet", reason: "no ping was answered yet" };
  const words: readonly (readonly [name: string, value: string | undefined, band?: string])[] = [
    ["round trip", measured.rttMs === undefined ? undefined : `${measured.rttMs.toFixed(0)} ms`, held.rtt],
    ["jitter", measured.jitterMs === undefined ? undefined : `${measured.jitterMs.toFixed(1)} ms`],
    ["queue", measured.queuedBytes === undefined ? undefined : `${measured.queuedBytes} bytes`, held.queue],
    [
      "direct links",
      measured.uploadRatio === undefined ? undefined : `${percent(measured.uploadRatio)} of the upload`,
      held.upload,
    ],
  ];
  const rest = words.map(([name, value, band]) => inWords(name, value, band));
  const choice = [...lossWords(room, measured), ...rest].join(", ");
  const age = `${(ageMs / 1000).toFixed(1)} s ago`;
  const reason = `the worst of the paths in use, ${age}; what is in brackets counts: worse after 3 s (stalls: at once), better after 15 s (stalls: 60 s)`;
  return { about, choice, reason };
}

/** Loss and stalls. With a server that decides, how sure they are; on an ordered link the one looks like the other. */
function lossWords({ authorityHz, server, held }: ExplainedRoom, measured: Measured): string[] {
  const { lossRatio, stallRatio } = measured;
  const { stalls, stateLink } = server;
  if (authorityHz !== undefined && stateLink === "websocket") {
    const counted = `stalls: ${stalls.stalled} of ${stalls.roundTrips} round trips (${held.stalls})`;
    return [`${counted}; loss cannot be seen here`];
  }
  const lost = inWords("loss", lossRatio === undefined ? undefined : percent(lossRatio, 1), held.loss);
  const stalled = inWords("stalls", stallRatio === undefined ? undefined : percent(stallRatio), held.stalls);
  if (authorityHz === undefined || lossRatio === undefined) return [lost, stalled];
  return [`${lost}: ${directionsInWords(server)}`, stalled];
}

/** How sure the loss of each direction is. */
function directionsInWords({ loss, outgoingLoss }: ServerStats): string {
  const words = (name: string, reading: ServerStats["loss"]): string => {
    if (!reading) return `${name} unknown, too few may be lost`;
    const { ratio, low, high, packets } = reading;
    const interval = `between ${percent(low, 1)} and ${percent(high, 1)} with 95 % certainty`;
    return `${name} ${percent(ratio, 1)}, ${interval} from ${packets} packets`;
  };
  return `${words("from the server", loss)}; ${words("to it", outgoingLoss)}`;
}

function inWords(name: string, value: string | undefined, band?: string): string {
  if (value === undefined) return `${name} unknown`;
  return band === undefined ? `${name} ${value}` : `${name} ${value} (${band})`;
}

function percent(ratio: number, places = 0): string {
  return `${(ratio * 100).toFixed(places)} %`;
}

/** A peer's path, as a row of an explanation. */
function pathRow({ number, path, channel, reason }: Peer): Explanation {
  return { about: `peer ${number}`, choice: `${path}: ${channel}`, reason };
}
