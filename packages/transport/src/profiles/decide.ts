import type { TrafficClassName } from "@paceline/protocol";
import { inputsOf } from "./bands.js";
import { checkCircumstances, type Circumstances } from "./circumstances.js";
import type { Delivery, Plan, Reason, Route } from "./plan.js";
import { type Profile, type ProfileNumbers, profileRanges, validateProfile } from "./profile.js";
import { profiles } from "./profiles.js";
import type { Conditions, Effect, Facts, LinkOrders, Question, Row } from "./question.js";
import { decisionTree } from "./tree.js";

const NO_LINKS: LinkOrders = { unreliable: [], reliable: [] };

/** What each class is promised where no row says otherwise. */
const DELIVERIES: Readonly<Record<TrafficClassName, Delivery>> = {
  state: "newest-wins",
  reference: "unordered-reliable",
  event: "lifetime",
  command: "ordered-reliable",
  input: "newest-wins",
  bulk: "ordered-reliable",
};

/**
 * Asks the decision tree about circumstances that come from outside: as {@link planFor}, but checked.
 *
 * @param profile the rates to begin with; by default those of the genre
 * @throws ConfigError for circumstances or a profile outside their ranges
 */
export function decide(circumstances: Circumstances, profile?: Profile): Plan {
  checkCircumstances(circumstances);
  // Our own profiles are valid, which a test says.
  return planFor(circumstances, profile && validateProfile(profile));
}

/**
 * Asks the decision tree: which links, which delivery for each class of traffic, which rates, and why. The same
 * circumstances give the same plan; every combination gives one.
 */
export function planFor(circumstances: Circumstances, start: Profile = profiles[circumstances.genre]): Plan {
  const inputs = inputsOf(circumstances, start);
  const { facts, answered } = walk(inputs);
  const effects = answered.flatMap(({ row }) => (row.sets === undefined ? [] : [row.sets]));
  const sum = effects.reduce<Effect>(merged, {});
  const serverLinks = sum.serverLinks ?? NO_LINKS;
  const pairLinks = sum.pairLinks ?? NO_LINKS;
  return {
    circumstances,
    inputs,
    canConnect: facts.entry === "WebSocket",
    content: facts.content ?? "actions only",
    webSocketSchemes: sum.webSocketSchemes ?? [],
    serverLinks: serverLinks.unreliable,
    pairsWith: sum.pairsWith ?? "nobody",
    pairLinks: pairLinks.unreliable,
    traffic: trafficOf({ ...DELIVERIES, ...sum.deliveries }, sum.pairDeliveries, { serverLinks, pairLinks }),
    baselines: sum.baselines ?? "acknowledged",
    stripes: sum.stripes ?? 1,
    numbers: adapted(start, sum.factors),
    style: sum.style ?? start.style,
    reasons: answered.map(reasonOf),
  };
}

interface Answered {
  readonly question: Question;
  readonly row: Row;
}

function walk(inputs: Facts): { facts: Facts; answered: readonly Answered[] } {
  let facts = inputs;
  const answered: Answered[] = [];
  let question = decisionTree[0];
  while (question !== undefined) {
    const row = answerTo(question, facts);
    answered.push({ question, row });
    if (row.answer !== undefined) facts = { ...facts, ...row.answer };
    // There is none of the id that stands for the end.
    question = decisionTree.find(({ id }) => id === row.next);
  }
  return { facts, answered };
}

function answerTo(question: Question, facts: Facts): Row {
  const row = question.rows.find(({ when }) => holds(when, facts));
  // The last row of every question has no condition; a test walks all combinations.
  if (row === undefined) throw new Error(`the decision tree has no answer to "${question.id}"`);
  return row;
}

function holds(conditions: Conditions, facts: Facts): boolean {
  for (const field in conditions) {
    const allowed: readonly unknown[] | undefined = conditions[field as keyof Conditions];
    if (allowed !== undefined && !allowed.includes(facts[field as keyof Facts])) return false;
  }
  return true;
}

function merged(sum: Effect, effect: Effect): Effect {
  if (sum.factors === undefined || effect.factors === undefined) return { ...sum, ...effect };
  const factors = { ...sum.factors };
  for (const [name, factor] of Object.entries(effect.factors)) {
    const number = name as keyof ProfileNumbers;
    factors[number] = (factors[number] ?? 1) * factor;
  }
  return { ...sum, ...effect, factors };
}

function trafficOf(
  deliveries: Readonly<Record<TrafficClassName, Delivery>>,
  pairDeliveries: Effect["pairDeliveries"],
  links: { readonly serverLinks: LinkOrders; readonly pairLinks: LinkOrders },
): Plan["traffic"] {
  const both = (name: TrafficClassName): { server: Route; pair: Route } => ({
    server: route(deliveries[name], links.serverLinks),
    pair: route(pairDeliveries?.[name] ?? deliveries[name], links.pairLinks),
  });
  return everyOf(deliveries, both);
}

function route(delivery: Delivery, orders: LinkOrders): Route {
  const mayLose = delivery === "newest-wins" || delivery === "lifetime";
  return { delivery, links: mayLose ? orders.unreliable : orders.reliable };
}

/** The numbers times their factors, kept within what a profile may say. */
function adapted(profile: Profile, factors: Effect["factors"] = {}): ProfileNumbers {
  const scaled = (name: keyof ProfileNumbers): number => {
    const factor = factors[name];
    if (factor === undefined) return profile[name];
    const { min, max } = profileRanges[name];
    return Math.min(max, Math.max(min, profile[name] * factor));
  };
  return everyOf(profileRanges, scaled);
}

/** The same keys with what `make` says of each. */
function everyOf<Key extends string, Value>(
  keyed: Readonly<Record<Key, unknown>>,
  make: (key: Key) => Value,
): Readonly<Record<Key, Value>> {
  const keys = Object.keys(keyed) as Key[];
  return Object.fromEntries(keys.map((key) => [key, make(key)])) as Record<Key, Value>;
}

function reasonOf({ question, row }: Answered): Reason {
  return { question: question.id, row: row.id };
}
