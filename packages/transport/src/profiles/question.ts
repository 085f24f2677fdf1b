import type { Inputs } from "./bands.js";
import type { ChannelPolicies, Plan } from "./plan.js";
import type { ProfileNumbers } from "./profile.js";

/** Answers that conditions of later questions use. */
export interface Answers {
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

/** One answer to a question. Its words are in link-words.ts or pace-words.ts. */
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
