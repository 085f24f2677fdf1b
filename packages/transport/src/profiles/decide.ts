import { MAX_HEARTBEAT_MS } from "@paceline/protocol";
import { inputsOf } from "./bands.js";
import type { Circumstances } from "./circumstances.js";
import type { ChannelPolicies, Delivery, Plan } from "./plan.js";
import { type Profile, type ProfileNumbers, profileRanges, type TrafficWeights } from "./profile.js";
import { downloadBudgetAt, profiles } from "./profiles.js";
import { decisionTree, type Conditions, type Effect, type Facts, type Question, type Row } from "./tree.js";

/**
 * Returns the plan of the decision tree: links, the delivery of each traffic class, rates, and the reasons.
 * The same circumstances give the same plan, and every combination gives one.
 */
export function planFor(circumstances: Circumstances, start: Profile = profiles[circumstances.genre]): Plan {
  const inputs = inputsOf(circumstances, start);
  const answered = walk(inputs);
  const effects = answered.flatMap(({ row }) => (row.sets === undefined ? [] : [row.sets]));
  const sum = effects.reduce<Effect>(merged, {});
  const isDecided = inputs.topology === "authority";
  const { sendPeriodMs, eventLifetimeMs, ...others } = adapted(
    isDecided ? served(start) : start,
    sum.factors,
  );
  const { tickHz: _ticks, maxDirectPeers: _peers, uploadBytesPerSecond: _upload, ...usual } = others;
  const numbers =
    isDecided && !start.hasOwnStateBudget
      ? { ...usual, stateBytesPerSecond: downloadBudgetAt(usual.stateHz) }
      : usual;
  return {
    circumstances,
    inputs,
    schemes: sum.schemes ?? [],
    channels: channelsOf(sum, start.traffic, sendPeriodMs, eventLifetimeMs),
    stripes: sum.stripes ?? 1,
    repeats: sum.repeats ?? false,
    numbers,
    style: start.style,
    reasons: answered.map(({ question, row }) => ({ question: question.id, row: row.id })),
  };
}

interface Answered {
  readonly question: Question;
  readonly row: Row;
}

function walk(inputs: Facts): readonly Answered[] {
  let facts = inputs;
  const answered: Answered[] = [];
  let question = decisionTree[0];
  while (question !== undefined) {
    const row = answerTo(question, facts);
    answered.push({ question, row });
    if (row.answer !== undefined) facts = { ...facts, ...row.answer };
    // Undefined for the id that stands for the end.
    question = decisionTree.find(({ id }) => id === row.next);
  }
  return answered;
}

function answerTo(question: Question, facts: Facts): Row {
  // The last row of every question has no condition. A test walks all combinations.
  return question.rows.find(({ when }) => holds(when, facts))!;
}

function holds(conditions: Conditions, facts: Facts): boolean {
  for (const field in conditions) {
    const allowed: readonly unknown[] | undefined = conditions[field as keyof Conditions];
    if (allowed !== undefined && !allowed.includes(facts[field as keyof Facts])) return false;
  }
  return true;
}

function merged(sum: Effect, effect: Effect): Effect {
  const deliveries = { ...sum.deliveries, ...effect.deliveries };
  const factors = { ...sum.factors };
  for (const [name, factor] of Object.entries(effect.factors ?? {})) {
    const number = name as keyof ProfileNumbers;
    factors[number] = (factors[number] ?? 1) * factor;
  }
  return { ...sum, ...effect, deliveries, factors };
}

function channelsOf(
  sum: Effect,
  traffic: TrafficWeights,
  sendPeriodMs: number,
  eventLifetimeMs: number,
): ChannelPolicies {
  const { state = "newest-wins", input = "newest-wins", event = "lifetime" } = sum.deliveries ?? {};
  // The steps of the room pace inputs.
  const messagePeriodMs = sum.atOnce === true ? 0 : sendPeriodMs;
  return {
    state: {
      ...traffic.state,
      delivery: state,
      links: sum.direct === true ? ["direct", ...serverLinks(state, sum)] : serverLinks(state, sum),
      periodMs: sendPeriodMs,
    },
    input: { ...traffic.input, delivery: input, links: serverLinks(input, sum) },
    event: {
      ...traffic.event,
      delivery: event,
      lifetimeMs: event === "lifetime" ? eventLifetimeMs : Infinity,
      links: serverLinks(event, sum),
      periodMs: messagePeriodMs,
    },
    command: { ...traffic.command, periodMs: messagePeriodMs },
    bulk: traffic.bulk,
  };
}

function serverLinks(delivery: Delivery, { webrtc = false }: Effect): ChannelPolicies["event"]["links"] {
  return webrtc && delivery !== "ordered-reliable" ? ["webrtc", "websocket"] : ["websocket"];
}

/** Returns the profile within the limits of a server that decides, so that factors change what is in force. */
function served(profile: Profile): Profile {
  return { ...profile, heartbeatMs: Math.min(profile.heartbeatMs, MAX_HEARTBEAT_MS) };
}

/** Returns the numbers times their factors, limited to the ranges of a profile. */
function adapted(profile: Profile, factors: Effect["factors"] = {}): ProfileNumbers {
  const scaled = (name: keyof ProfileNumbers): number => {
    const factor = factors[name];
    if (factor === undefined) return profile[name];
    const { min, max } = profileRanges[name];
    return Math.min(max, Math.max(min, profile[name] * factor));
  };
  return everyOf(profileRanges, scaled);
}

function everyOf<Key extends string, Value>(
  keyed: Readonly<Record<Key, unknown>>,
  make: (key: Key) => Value,
): Readonly<Record<Key, Value>> {
  const keys = Object.keys(keyed) as Key[];
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<Key, Value>;
}

/** Returns true if states go directly from player to player in this plan. */
export function hasDirectLinks({ channels }: Plan): boolean {
  return channels.state.links.includes("direct");
}

/**
 * Returns the least time between two states of an entity, ms: the longer of its own interval and the packets'
 * period.
 */
export function stateIntervalMs({ numbers, channels }: Plan): number {
  return Math.max(1000 / numbers.stateHz, channels.state.periodMs);
}
