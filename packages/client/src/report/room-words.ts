import { MAX_EVERY_TICKS, MAX_HEARTBEAT_MS, type ViewLimits } from "@paceline/protocol";
import {
  hasDirectLinks,
  stateIntervalMs,
  type HeldBands,
  type LinkKind,
  type Measured,
  type Plan,
} from "@paceline/transport";
import type { ServerStats } from "../paths/path-stats.js";
import type { PeerConnection } from "../peers/peer-connection.js";
import type { Peer } from "../peers/peer.js";
import { everyTicksOf } from "../plan/state-policy.js";
import { measuredInWords, percent } from "./in-words.js";
import { number } from "./transport-report.js";

// Only room.transport.explain() fetches this file, because its texts are large.

/** The parts of a running room that its texts need. */
export interface TravellingRoom {
  readonly plan: Plan;
  readonly limits: ViewLimits | undefined;
  readonly server: ServerStats;
  readonly held: HeldBands;
  readonly peers: readonly (Peer & Partial<Pick<PeerConnection, "awaitsDirect">>)[];
}

/** The explanation texts that depend on the room's mode. */
export interface RoomWords {
  /** Question of the decision tree that decides the links of states. */
  readonly statesQuestion: string;
  states(room: TravellingRoom): string;
  /** Names other traffic that leaves together with bundled messages. */
  sharers(plan: Plan): string;
  /**
   * @param when condition under which an entity is sent, as text
   * @param changes rows of the decision tree that changed the profile's rates, as texts
   */
  rates(
    room: TravellingRoom,
    when: string,
    changes: readonly string[],
  ): { readonly choice: string; readonly reason: string };
  losses(room: TravellingRoom, measured: Measured): string[];
}

/** Texts for a mesh room. */
export const playersWords: RoomWords = {
  statesQuestion: "paths",
  states({ plan, server, peers }) {
    const direct = peers.filter(({ path }) => path === "direct" || path === "turn").length;
    const relay = `relayed over ${nameOf(server)}`;
    const rest = direct < peers.length ? `, the others ${relay}` : "";
    const now = direct > 0 ? `${direct} of ${peers.length} players over direct links${rest}` : `all ${relay}`;
    const waiting = peers.filter(({ awaitsDirect }) => awaitsDirect).length;
    const waits = waiting > 0 ? `; planned: direct links to ${waiting} of them, once they are proven` : "";
    const relayed = direct < peers.length ? server.stateLink : undefined;
    const how = arrival(plan, direct > 0 || relayed === "webrtc", relayed === "websocket");
    return `${now}; ${how}${serverWait(plan, server) ?? waits}`;
  },
  // With ordered delivery a state is a reliable message, so messages that wait leave in its packet.
  sharers: ({ channels }) => (channels.state.delivery === "ordered-reliable" ? ", or with states" : ""),
  rates({ plan, peers }, when, changes) {
    const periodMs = number(plan.channels.state.periodMs);
    const { heartbeatMs } = plan.numbers;
    const choice =
      `up to ${number(1000 / stateIntervalMs(plan))} states/s of an entity${nowBetween(peers)}, in packets ${periodMs} ms apart: ${when}, ` +
      `or after ${number(heartbeatMs)} ms`;
    return { choice, reason: ["the profile's numbers", ...changes].join("; ") };
  },
  losses: ({ held }, { lossRatio, stallRatio }) => [lossOf(lossRatio, held), stallsOf(stallRatio, held)],
};

/** Returns the texts for an authoritative room with so many steps per second. */
export function authorityWords(stepHz: number): RoomWords {
  return {
    statesQuestion: "server",
    states({ plan, server }) {
      const how = arrival(plan, server.stateLink === "webrtc", server.stateLink === "websocket");
      return `${nameOf(server)} to the server; ${how}${serverWait(plan, server) ?? ""}`;
    },
    sharers: () => "",
    rates({ plan, server, limits = {} }, when, changes) {
      const { maxViews, bytesPerSecond } = limits;
      const hz = number(maxViews ? stepHz : stepHz / everyTicksOf(plan, stepHz));
      const restMs = maxViews ? MAX_HEARTBEAT_MS : plan.numbers.heartbeatMs;
      const exactly = maxViews ? "when it would be shown off at all" : when;
      const choice =
        `the server sends up to ${hz} times/s (now ${tenths(server.statePacketsPerSecond)}): an entity ${exactly}, when anything else of it changes, ` +
        `or after ${number(restMs)} ms`;
      const pace = maxViews
        ? `the room's limit: it follows ${maxViews} different plans, and sends exactly to the players of others`
        : [rateLimit(plan, stepHz), ...changes].join("; ");
      const bytes = bytesPerSecond
        ? `; the room's limit: ${number(bytesPerSecond)} bytes/s of states, the plan wants ${number(plan.numbers.stateBytesPerSecond)}`
        : "";
      return { choice, reason: `${pace}${bytes}` };
    },
    // On an ordered link, loss appears as stalls. On other links, the text gives the confidence interval of
    // the loss.
    losses({ server, held }, { lossRatio, stallRatio }) {
      const { stalls, stateLink } = server;
      if (stateLink === "websocket") {
        const counted = `stalls: ${stalls.stalled} of ${stalls.roundTrips} round trips (${held.stalls})`;
        return [`${counted}; loss cannot be seen here`];
      }
      const directions = lossRatio === undefined ? "" : `: ${directionsInWords(server)}`;
      return [`${lossOf(lossRatio, held)}${directions}`, stallsOf(stallRatio, held)];
    },
  };
}

/** Says how many states of all entities were sent to a player and received from one in the last second. */
function nowBetween(peers: readonly Peer[]): string {
  if (peers.length === 0) return "";
  const most = (rate: "updatesOutPerSecond" | "updatesInPerSecond"): number =>
    tenths(Math.max(...peers.map(({ stats }) => stats[rate])));
  return ` (now ${most("updatesOutPerSecond")}/s of all to a player, ${most("updatesInPerSecond")}/s from one)`;
}

function tenths(value: number): number {
  return Math.round(value * 10) / 10;
}

const kinds: Readonly<Partial<Record<LinkKind, string>>> = { webrtc: "WebRTC", websocket: "WebSocket" };

function nameOf({ stateLink }: ServerStats): string {
  return kinds[stateLink ?? "memory"] ?? "no link";
}

/** Says what becomes of states on links that lose packets, and on sockets, which send them again. */
function arrival({ channels }: Plan, mayBeLost: boolean, mayBeLate: boolean): string {
  if (channels.state.delivery === "ordered-reliable") return "all arrive, in order";
  const lost = mayBeLost ? ["a lost packet is not sent again"] : [];
  const late = mayBeLate ? ["what a WebSocket loses comes late"] : [];
  return ["a newer one replaces one that waits here", ...lost, ...late].join(", ");
}

/** Says that the plan waits for a link to the server. Returns undefined if it does not. */
function serverWait(plan: Plan, { stateLink }: ServerStats): string | undefined {
  const isPlanned = plan.channels.state.links.includes("webrtc") && !hasDirectLinks(plan);
  const isWaiting = isPlanned && stateLink !== "webrtc";
  return isWaiting ? "; planned: WebRTC to the server, once it is proven" : undefined;
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

function lossOf(ratio: number | undefined, held: HeldBands): string {
  return measuredInWords("loss", ratio === undefined ? undefined : percent(ratio, 1), held.loss);
}

function stallsOf(ratio: number | undefined, held: HeldBands): string {
  return measuredInWords("stalls", ratio === undefined ? undefined : percent(ratio), held.stalls);
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
