import type { TrafficClassName } from "@paceline/protocol";
import type { Inputs } from "./bands.js";
import type { Circumstances } from "./circumstances.js";
import type { ProfileNumbers, TrafficWeight, ViewStyle } from "./profile.js";

/** A route of a packet: WebRTC to the other player, WebRTC to the server, or the WebSocket to the server. */
export type PlannedLink = "direct" | "webrtc" | "websocket";

/**
 * The delivery of a traffic class: only the newest packet matters, a packet matters within its lifetime, or
 * each arrives in order and exactly once.
 */
export type Delivery = "newest-wins" | "lifetime" | "ordered-reliable";

/** Links of a class whose packets may be lost. */
interface Routed<Kind extends PlannedLink> {
  /**
   * The links that may carry the class. The WebSocket is always among them. A session uses the first that is
   * open of `direct`, `webrtc`, `websocket`.
   */
  readonly links: readonly Kind[];
}

/** A link to the server. What goes to a player takes the path of that pair, whatever its class. */
type ServerLink = Exclude<PlannedLink, "direct">;

interface Paced {
  /** Shortest time between packets of this class, ms. 0: each leaves at once. */
  readonly periodMs: number;
}

/**
 * The policy of each traffic class, as far as the tree decides it. Commands and bulk always arrive in order,
 * over the link that their session prefers.
 */
export interface ChannelPolicies {
  readonly state: TrafficWeight &
    Routed<PlannedLink> &
    Paced & { readonly delivery: Exclude<Delivery, "lifetime"> };
  readonly input: TrafficWeight & Routed<ServerLink> & { readonly delivery: Exclude<Delivery, "lifetime"> };
  readonly event: TrafficWeight &
    Routed<ServerLink> &
    Paced & {
      readonly delivery: Exclude<Delivery, "newest-wins">;
      /** Time after which the outbox drops an unsent event, ms. Infinity if all must arrive. */
      readonly lifetimeMs: number;
    };
  readonly command: TrafficWeight & Paced;
  readonly bulk: TrafficWeight;
}

/** Returns the policy of a class. Called each time, because the plan may change while the game runs. */
export type ChannelPolicyOf = <Name extends PlannedClass>(name: Name) => ChannelPolicies[Name];

/** Traffic classes of a plan. References travel as commands. */
export type PlannedClass = Exclude<TrafficClassName, "reference">;

/** A choice of the tree. `explainPlan` gives its words. */
export interface Reason {
  /** Id of the question. */
  readonly question: string;
  /** Id of the row that answered it. */
  readonly row: string;
}

/**
 * Numbers of the profile that a plan passes on. It leaves out those that its channels contain, and those that
 * only the tree or the room uses.
 */
type PlanNumbers = Omit<
  ProfileNumbers,
  "sendPeriodMs" | "eventLifetimeMs" | "tickHz" | "maxDirectPeers" | "uploadBytesPerSecond"
>;

/** Result of the decision tree. Running code uses every field, which a test of the repository checks. */
export interface Plan {
  readonly circumstances: Circumstances;
  /** The circumstances in the form that the tree uses. */
  readonly inputs: Inputs;
  /** URL schemes of WebSockets that this page may open. */
  readonly schemes: readonly ("wss" | "ws")[];
  readonly channels: ChannelPolicies;
  /** Number of sockets to the server over which states alternate, if they travel by WebSocket. */
  readonly stripes: 1 | 2 | 3;
  /** True if the newest state of an entity is repeated, because of the measured loss. */
  readonly repeats: boolean;
  /** The profile's numbers, adapted to device and network. */
  readonly numbers: PlanNumbers;
  /** How receivers show the entities of others. */
  readonly style: ViewStyle;
  readonly reasons: readonly Reason[];
}
