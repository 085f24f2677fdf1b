import type { TrafficClassName } from "@paceline/protocol";
import type { Inputs } from "./bands.js";
import type { Circumstances } from "./circumstances.js";
import type { ProfileNumbers, TrafficWeight, ViewStyle } from "./profile.js";

/** A way of a packet: WebRTC to the other player, WebRTC to the server, the WebSocket to the server. */
export type PlannedLink = "direct" | "webrtc" | "websocket";

/**
 * The delivery of a class of traffic: only the newest matters; it is worth something for its lifetime; it must arrive,
 * in order, exactly once.
 */
export type Delivery = "newest-wins" | "lifetime" | "ordered-reliable";

/** Links for a class whose packets may be lost on the way. */
interface Routed {
  /** In the order of preference: the first that is open carries it. The WebSocket is always among them. */
  readonly links: readonly PlannedLink[];
}

interface Paced {
  /** Packets of this class leave at most this often, ms; 0: each at once. */
  readonly periodMs: number;
}

/**
 * The policy of each class of traffic, as far as the tree decides it. Commands and bulk always arrive, in order,
 * over the link that their session prefers.
 */
export interface ChannelPolicies {
  readonly state: TrafficWeight & Routed & Paced & { readonly delivery: Exclude<Delivery, "lifetime"> };
  readonly input: TrafficWeight & Routed & { readonly delivery: Exclude<Delivery, "lifetime"> };
  readonly event: TrafficWeight &
    Routed &
    Paced & {
      readonly delivery: Exclude<Delivery, "newest-wins">;
      /** The outbox drops what it could not send within this time, ms; Infinity if all of it must arrive. */
      readonly lifetimeMs: number;
    };
  readonly command: TrafficWeight & Paced;
  readonly bulk: TrafficWeight;
}

/** The policy of a class, asked when it is needed: a plan may change while the game runs. */
export type ChannelPolicyOf = <Name extends PlannedClass>(name: Name) => ChannelPolicies[Name];

/** Classes that a plan speaks of: references travel as commands. */
export type PlannedClass = Exclude<TrafficClassName, "reference">;

/** A choice of the tree; `explainPlan` puts it into words. */
export interface Reason {
  /** Id of the question. */
  readonly question: string;
  /** Id of the row that answered it. */
  readonly row: string;
}

/** A plan's numbers besides its channels. */
export type PlanNumbers = Omit<
  ProfileNumbers,
  "sendPeriodMs" | "eventLifetimeMs" | "tickHz" | "maxDirectPeers" | "uploadBytesPerSecond"
>;

/** The answer of the decision tree: each field is the input of running code, which a test of the repository checks. */
export interface Plan {
  readonly circumstances: Circumstances;
  /** The circumstances as the tree saw them. */
  readonly inputs: Inputs;
  /** Schemes that this page may open a WebSocket with. */
  readonly schemes: readonly ("wss" | "ws")[];
  readonly channels: ChannelPolicies;
  /** Over how many sockets to the server states alternate where they go by WebSocket. */
  readonly stripes: 1 | 2 | 3;
  /** Whether the newest state is repeated when the share that is lost asks for it. */
  readonly repeats: boolean;
  /** The profile's numbers, adapted to device and network. */
  readonly numbers: PlanNumbers;
  /** The way receivers show others. */
  readonly style: ViewStyle;
  readonly reasons: readonly Reason[];
}
