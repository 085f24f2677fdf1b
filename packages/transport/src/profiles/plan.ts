import type { TrafficClassName } from "@paceline/protocol";
import type { Inputs } from "./bands.js";
import type { Circumstances } from "./circumstances.js";
import type { ProfileNumbers, ViewStyle } from "./profile.js";

/** A kind of link that a plan can ask for. `relayed`: to another player through the server. */
export type PlannedLink = "webrtc" | "webtransport" | "websocket" | "relayed";

/**
 * What a class of traffic is promised: only the newest matters; it must arrive, in any order; it is worth something for
 * its lifetime; it must arrive, in order, exactly once.
 */
export type Delivery = "newest-wins" | "unordered-reliable" | "lifetime" | "ordered-reliable";

/** How one class of traffic goes one way. */
export interface Route {
  readonly delivery: Delivery;
  /** Links in the order of preference, the first that is open carries it; empty where there is nobody to send to. */
  readonly links: readonly PlannedLink[];
}

/** A choice of the tree; `explainPlan` puts it into words. */
export interface Reason {
  /** Id of the question. */
  readonly question: string;
  /** Id of the row that answered it. */
  readonly row: string;
}

/**
 * What a game sends: frequent states, as differences to reference states that must arrive; states and, more important,
 * actions; or actions alone, from which everybody computes the rest.
 */
export type Content = "states with references" | "states and actions" | "actions only";

/**
 * What states are differences from: per receiver the newest that it has acknowledged; or, encoded once for all
 * receivers, a reference that all of them got reliably.
 */
export type Baselines = "acknowledged" | "reference";

/** With which other players a session of its own is kept. */
export type PairsWith = "nobody" | "everybody" | "host";

/** What the decision tree answers. */
export interface Plan {
  readonly circumstances: Circumstances;
  /** The circumstances as the tree saw them. */
  readonly inputs: Inputs;
  /** False: no link can carry anything here, and all orders are empty. */
  readonly canConnect: boolean;
  /** What the game sends. */
  readonly content: Content;
  /** Schemes that this page may open a WebSocket with. */
  readonly webSocketSchemes: readonly ("wss" | "ws")[];
  /** Links to the server in the order of preference. The session opens on its last one, which always works. */
  readonly serverLinks: readonly PlannedLink[];
  readonly pairsWith: PairsWith;
  /** Links to another player in the order of preference. */
  readonly pairLinks: readonly PlannedLink[];
  /** For every class of traffic its way to the server and to another player. */
  readonly traffic: Readonly<Record<TrafficClassName, { readonly server: Route; readonly pair: Route }>>;
  /** What states are differences from. */
  readonly baselines: Baselines;
  /** Over how many sockets to the server states alternate where they go by WebSocket. */
  readonly stripes: 1 | 2 | 3;
  /** The profile's numbers, adapted to device and network. */
  readonly numbers: ProfileNumbers;
  /** How others are shown. */
  readonly style: ViewStyle;
  readonly reasons: readonly Reason[];
}
