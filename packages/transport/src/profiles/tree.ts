import type { Inputs } from "./bands.js";
import type { ChannelPolicies, Plan } from "./plan.js";
import type { ProfileNumbers } from "./profile.js";

/** Answers that conditions of later questions use. */
interface Answers {
  /**
   * `states`: moving things are sent while they move. `moves`: players' moves decide, and all of them must
   * arrive.
   */
  readonly content: "states" | "moves";
}

/** Inputs of conditions: the circumstances, and the answers so far. */
export type Facts = Inputs & Partial<Answers>;

/** Each named field must have one of the listed values. Empty conditions always hold. */
export type Conditions = { readonly [Field in keyof Facts]?: readonly NonNullable<Facts[Field]>[] };

type Deliveries = {
  readonly [Name in "state" | "input" | "event"]?: ChannelPolicies[Name]["delivery"];
};

/** A row's settings for the plan. Those of later rows replace earlier ones, and factors multiply. */
export interface Effect {
  readonly schemes?: Plan["schemes"];
  readonly deliveries?: Deliveries;
  /** True if pairs of players get direct links. Default: false. */
  readonly direct?: boolean;
  /**
   * True if traffic that may be lost goes to the server over WebRTC. Default: false, the WebSocket carries
   * all.
   */
  readonly webrtc?: boolean;
  /** True if events and commands do not wait to share a packet. Default: false. */
  readonly atOnce?: boolean;
  readonly stripes?: Plan["stripes"];
  readonly repeats?: boolean;
  readonly factors?: Partial<Record<keyof ProfileNumbers, number>>;
}

/** One answer to a question. Its words are in tree-words.ts. */
export interface Row {
  readonly id: string;
  readonly when: Conditions;
  /** Answers for later questions. Default: none. */
  readonly answer?: Partial<Answers>;
  readonly sets?: Effect;
  /** Id of the next question, or {@link END}. */
  readonly next: string;
}

/**
 * A question of the tree. The first row whose conditions hold is the answer, and the last row always holds.
 */
export interface Question {
  readonly id: string;
  readonly rows: readonly Row[];
}

/** Value of `next` if no question follows. */
export const END = "end";

/**
 * @param next the question after this one, unless a row names another
 * @__NO_SIDE_EFFECTS__
 */
function question(id: string, next: string, rows: readonly (Omit<Row, "next"> & Partial<Row>)[]): Question {
  return { id, rows: rows.map((row) => ({ next, ...row })) };
}

// CONTRIBUTING.md lists what belongs to a new row.
/** The decision tree. It begins with its first question, and each answer leads to the next one. */
export const decisionTree: readonly Question[] = Object.freeze([
  question("page", "content", [
    { id: "PAGE-1", when: { page: ["https"] }, sets: { schemes: ["wss"] } },
    { id: "PAGE-2", when: {}, sets: { schemes: ["ws", "wss"] } },
  ]),
  question("content", "paths", [
    { id: "CONTENT-1", when: { movement: ["free"] }, answer: { content: "states" } },
    {
      id: "CONTENT-2",
      when: {},
      answer: { content: "moves" },
      sets: {
        deliveries: { state: "ordered-reliable", event: "ordered-reliable", input: "ordered-reliable" },
      },
    },
  ]),
  question("paths", "server", [
    { id: "PATHS-1", when: { topology: ["authority"] } },
    { id: "PATHS-2", when: { topology: ["relay"] } },
    { id: "PATHS-3", when: { address: ["hidden"] } },
    { id: "PATHS-4", when: { webrtc: ["no"] } },
    { id: "PATHS-5", when: { peers: ["many"] } },
    { id: "PATHS-6", when: { upload: ["over"] } },
    { id: "PATHS-7", when: { battery: ["low"], receivers: ["several"] } },
    { id: "PATHS-8", when: { favour: ["cpu", "bandwidth"], receivers: ["several"] } },
    { id: "PATHS-9", when: {}, sets: { direct: true }, next: "events" },
  ]),
  question("events", "server", [
    { id: "EVENTS-1", when: { content: ["moves"] }, sets: { deliveries: { event: "lifetime" } } },
    { id: "EVENTS-2", when: {} },
  ]),
  question("server", "favour", [
    { id: "SERVER-1", when: { content: ["moves"] } },
    { id: "SERVER-2", when: { webrtc: ["no"] } },
    { id: "SERVER-3", when: { serverWebrtc: ["unknown", "no"] } },
    { id: "SERVER-4", when: { genre: ["racing", "shooter"] }, sets: { webrtc: true } },
    {
      id: "SERVER-5",
      when: { favour: ["cpu", "bandwidth"], loss: ["unknown", "low"], stalls: ["unknown", "none"] },
    },
    { id: "SERVER-6", when: {}, sets: { webrtc: true } },
  ]),
  question("favour", "battery", [
    {
      id: "FAVOUR-1",
      when: { favour: ["bandwidth"] },
      sets: { factors: { sendPeriodMs: 2, thresholdM: 1.5, headingRad: 1.5 } },
    },
    { id: "FAVOUR-2", when: { favour: ["cpu"] }, sets: { factors: { sendPeriodMs: 2 } } },
    { id: "FAVOUR-3", when: {}, sets: { atOnce: true } },
  ]),
  question("battery", "network", [
    { id: "BATTERY-1", when: { battery: ["low"] }, sets: { factors: { stateHz: 0.5, sendPeriodMs: 2 } } },
    { id: "BATTERY-2", when: {} },
  ]),
  question("network", "loss", [
    {
      id: "NETWORK-1",
      when: { network: ["mobile"] },
      sets: { factors: { thresholdM: 1.5, headingRad: 1.5 } },
    },
    { id: "NETWORK-2", when: {} },
  ]),
  question("loss", "rtt", [
    {
      id: "LOSS-1",
      when: { content: ["states"], loss: ["high"] },
      sets: { repeats: true, factors: { heartbeatMs: 0.25 } },
    },
    {
      id: "LOSS-2",
      when: { content: ["states"], loss: ["raised"] },
      sets: { repeats: true, factors: { heartbeatMs: 0.5 } },
    },
    { id: "LOSS-3", when: {} },
  ]),
  question("rtt", "queue", [
    { id: "RTT-1", when: { rtt: ["long"] }, sets: { factors: { extrapolationLimitMs: 2 } } },
    { id: "RTT-2", when: {} },
  ]),
  question("queue", "end", [
    {
      id: "QUEUE-1",
      when: { queue: ["waiting"], topology: ["relay", "mesh"] },
      sets: { factors: { stateHz: 0.5, sendPeriodMs: 2, thresholdM: 1.5, headingRad: 1.5 } },
    },
    { id: "QUEUE-2", when: {}, next: "stripes" },
  ]),
  question("stripes", "end", [
    { id: "STRIPES-1", when: { content: ["moves"] } },
    { id: "STRIPES-2", when: { stalls: ["many"] }, sets: { stripes: 3 } },
    { id: "STRIPES-3", when: { stalls: ["some"] }, sets: { stripes: 2 } },
    { id: "STRIPES-4", when: {} },
  ]),
]);
