import type { EntityDefinition } from "@paceline/protocol";
import { REPEAT_AFTER_MS } from "@paceline/netcode";
import { decisionTree, explainPlan, type Measured, type Plan } from "@paceline/transport";
import type { Peer } from "../peers/peer.js";
import type { Explanation } from "../paths/transport-change.js";
import { measuredInWords, percent } from "./in-words.js";
import { number } from "./transport-report.js";
import type { RoomWords, TravellingRoom } from "./room-words.js";

// Only room.transport.explain() fetches this file, because its texts are large.

/** The parts of a running room that the explanation needs. */
export interface ExplainedRoom extends TravellingRoom {
  readonly words: RoomWords;
  readonly measured: Measured | undefined;
  readonly ageMs: number;
  readonly serverPath: Explanation;
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
export async function explainRoom(room: ExplainedRoom, details: boolean): Promise<Explanation[]> {
  const answers = await explainPlan(room.plan);
  const reasonOf = (question: string): string =>
    answers[room.plan.reasons.findIndex((reason) => reason.question === question)]?.reason ?? "";
  const rows = [
    gameRow(room.plan, reasonOf("content")),
    { about: "states", choice: room.words.states(room), reason: reasonOf(room.words.statesQuestion) },
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

function messagesRow({ plan, words }: ExplainedRoom, reason: string): Explanation {
  const { event, command } = plan.channels;
  const events =
    event.delivery === "lifetime"
      ? `events are dropped after ${event.lifetimeMs} ms`
      : "events arrive, in order";
  const pace =
    command.periodMs === 0
      ? "each leaves at once"
      : `in packets ${number(command.periodMs)} ms apart${words.sharers(plan)}`;
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

function ratesRow(room: ExplainedRoom, changes: readonly string[]): Explanation {
  const { thresholdM, headingRad } = room.plan.numbers;
  const isInterpolated = room.plan.style === "interpolation";
  const share = isInterpolated ? UNMOVED_SHARE : 1;
  const [metres, radians] = [number(thresholdM * share), number(headingRad * share)];
  const when = isInterpolated
    ? `when it is ${metres} m or ${radians} rad from the state before`
    : `when it would be shown ${metres} m or ${radians} rad off`;
  const own = room.kinds
    .filter(({ threshold: { position, heading } }) => position ?? heading)
    .map(({ name }) => name);
  const named = own.length > 0 ? `; ${own.join(", ")} by the threshold of the definition` : "";
  const again = room.plan.repeats ? `, once more if nothing newer follows within ${REPEAT_AFTER_MS} ms` : "";
  const { choice, reason } = room.words.rates(room, `${when}${again}`, changes);
  return { about: "rates", choice, reason: `${reason}${named}` };
}

const HELD = "; states are held back: those before them take much longer than the path needs";

/** The budget applies while less can be sent than is waiting, at this participant or on the path. */
function budgetRow({ plan: { numbers, channels }, limits = {} }: ExplainedRoom): Explanation {
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
    reason: "the profile's way; an entity's definition may say otherwise",
  };
}

function deviceRow({ inputs }: Plan): Explanation {
  const choice = `battery ${inputs.battery}, network ${inputs.network}`;
  return { about: "device", choice, reason: "as far as the environment tells; unknown changes nothing" };
}

function playersRow(peers: readonly Peer[]): Explanation {
  const count = (path: Peer["path"]): number => peers.filter((peer) => peer.path === path).length;
  const choice = `${peers.length}: ${count("direct")} direct, ${count("turn")} through TURN, ${count("relay")} relayed`;
  return { about: "players", choice, reason: "explain({ details: true }) has each of them" };
}

function measuredRow(room: ExplainedRoom): Explanation {
  const { measured, held, ageMs } = room;
  const about = "measured now";
  if (!measured) return { about, choice: "nothing yet", reason: "no ping was answered yet" };
  const words: (readonly [name: string, value: string | undefined, band?: string])[] = [
    ["round trip", measured.rttMs === undefined ? undefined : `${measured.rttMs.toFixed(0)} ms`, held.rtt],
    ["jitter", measured.jitterMs === undefined ? undefined : `${measured.jitterMs.toFixed(1)} ms`],
    ["queue", measured.queuedBytes === undefined ? undefined : `${measured.queuedBytes} bytes`, held.queue],
  ];
  if (room.plan.inputs.topology === "mesh") {
    const { uploadRatio } = measured;
    const share = uploadRatio === undefined ? undefined : `${percent(uploadRatio)} of the upload`;
    words.push(["direct links", share, held.upload]);
  }
  const rest = words.map(([name, value, band]) => measuredInWords(name, value, band));
  const choice = [...room.words.losses(room, measured), ...rest].join(", ");
  const age = `${(ageMs / 1000).toFixed(1)} s ago`;
  const reason = `the worst of the paths in use, ${age}; what is in brackets counts: worse after 3 s (stalls: at once), better after 15 s (stalls: 60 s)`;
  return { about, choice, reason };
}

function pathRow({ number, path, channel, reason }: Peer): Explanation {
  return { about: `peer ${number}`, choice: `${path}: ${channel}`, reason };
}
