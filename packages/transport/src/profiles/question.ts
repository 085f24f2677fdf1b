import type { Inputs } from "./bands.js";
import type { ChannelPolicies, Plan } from "./plan.js";
import type { ProfileNumbers } from "./profile.js";

/** Answers that later questions build on. */
export interface Answers {
  /** States: what moves is sent while it moves. Moves: what players do decides, and all of it must arrive. */
  readonly content: "states" | "moves";
}

/** Inputs of conditions: the circumstances, and the answers so far. */
export type Facts = Inputs & Partial<Answers>;

/** Every field named must have one of the values listed; no condition at all holds always. */
export type Conditions = { readonly [Field in keyof Facts]?: readonly NonNullable<Facts[Field]>[] };

/** Promises to each class of traffic that a row of the tree may decide. */
type Deliveries = {
  readonly [Name in "state" | "input" | "event"]?: ChannelPolicies[Name]["delivery"];
};

/** A row's settings for the plan. Later rows set over earlier ones; factors multiply. */
export interface Effect {
  readonly schemes?: Plan["schemes"];
  readonly deliveries?: Deliveries;
  /** Whether pairs of players get direct links. Default: no. */
  readonly direct?: boolean;
  /** Whether WebRTC leads to the server too, for traffic that may be lost. Default: no, the WebSocket carries all. */
  readonly webrtc?: boolean;
  /** Events and commands wait for no packet of their own. Default: no. */
  readonly atOnce?: boolean;
  readonly stripes?: Plan["stripes"];
  readonly repeats?: boolean;
  readonly factors?: Partial<Record<keyof ProfileNumbers, number>>;
}

/** One answer to a question; its words are in tree-words.ts. */
export interface Row {
  readonly id: string;
  readonly when: Conditions;
  /** Answers for later questions; by default none. */
  readonly answer?: Partial<Answers>;
  readonly sets?: Effect;
  /** The question that follows, or the end. */
  readonly next: string;
}

/** A question of the tree; its first row whose conditions hold is the answer, and its last row always holds. */
export interface Question {
  readonly id: string;
  readonly rows: readonly Row[];
}

/** Text of `next` if no question follows. */
export const END = "end";
