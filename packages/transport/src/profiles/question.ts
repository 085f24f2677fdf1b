import type { TrafficClassName } from "@paceline/protocol";
import type { Inputs } from "./bands.js";
import type { Baselines, Content, Delivery, PairsWith, Plan, PlannedLink } from "./plan.js";
import type { ProfileNumbers, ViewStyle } from "./profile.js";

/** Answers that later questions build on, by the question that gave them. */
export interface Answers {
  readonly content: Content;
  readonly entry: "WebSocket" | "none";
}

/** What conditions are about: the inputs, and the answers so far. */
export type Facts = Inputs & Partial<Answers>;

/** Every field named must have one of the values listed; no condition at all holds always. */
export type Conditions = { readonly [Field in keyof Facts]?: readonly NonNullable<Facts[Field]>[] };

/** Order of preference for the classes of traffic that may lose something, and for those that may not. */
export interface LinkOrders {
  readonly unreliable: readonly PlannedLink[];
  readonly reliable: readonly PlannedLink[];
}

/** What a row sets in the plan. Later rows set over earlier ones; factors multiply. */
export interface Effect {
  readonly webSocketSchemes?: readonly ("wss" | "ws")[];
  readonly deliveries?: Partial<Record<TrafficClassName, Delivery>>;
  /** Deliveries between players only, where they differ. */
  readonly pairDeliveries?: Partial<Record<TrafficClassName, Delivery>>;
  readonly serverLinks?: LinkOrders;
  readonly pairsWith?: PairsWith;
  readonly pairLinks?: LinkOrders;
  readonly style?: ViewStyle;
  readonly baselines?: Baselines;
  readonly stripes?: Plan["stripes"];
  readonly factors?: Partial<Record<keyof ProfileNumbers, number>>;
}

/** One answer to a question; its words are in tree-words.ts. */
export interface Row {
  readonly id: string;
  readonly when: Conditions;
  /** What later questions may ask for; by default nothing. */
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

/** What `next` says where no question follows. */
export const END = "end";
