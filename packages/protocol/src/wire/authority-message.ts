import { MAX_EVERY_TICKS, MAX_HEARTBEAT_MS } from "../limits.js";
import { PayloadKind } from "./message-kinds.js";
import { readKinds, type KindInfo } from "./control.js";
import {
  boolean,
  bytesOf,
  listOf,
  number16,
  number32,
  numberOf,
  oneOf,
  optional,
  textOf,
  wholeOf,
  type Reader,
  messageReader,
} from "../bytes/shape.js";
import { encodeAfter } from "../bytes/value-codec.js";

/** Messages from a participant to the authority of its room. */
export type ToAuthority =
  /**
   * The kinds of entities that the game uses so far. The authority sends no states of others. Replaces the
   * last list.
   */
  | { readonly type: "kinds"; readonly kinds: readonly KindInfo[] }
  /** Requests to own and simulate an entity with this first state: see `writeWholeState`. */
  | {
      readonly type: "own";
      readonly localId: number;
      readonly name: string;
      readonly schemaHash: number;
      readonly state: Uint8Array;
      /** Ticks per second of the states that follow. */
      readonly tickHz: number;
      /** The participant's tick in full: its packets carry the low 16 bits. Default 0. */
      readonly tick?: number;
    }
  /** Removes an entity of this participant. */
  | { readonly type: "disown"; readonly localId: number }
  /** Sets this participant's view terms. */
  | ({ readonly type: "view" } & ViewTerms)
  /**
   * Requests whole states of these entities, or of all if the list is empty, because states cannot be
   * decoded.
   */
  | { readonly type: "resync"; readonly ids: readonly number[] };

/** The rates and thresholds at which a participant wants states. The authority chooses omitted ones. */
export interface ViewTerms {
  /** True if the participant interpolates: then every packet contains all moving entities. */
  readonly isInterpolated: boolean;
  /** Ticks from one packet to the next, 1 to {@link MAX_EVERY_TICKS}. */
  readonly everyTicks: number;
  /** Threshold of entities whose definition has none, m. */
  readonly thresholdM?: number;
  /** Threshold of an entity's direction, rad. */
  readonly headingRad?: number;
  /** Longest time between two states of a resting entity, ms, at most {@link MAX_HEARTBEAT_MS}. */
  readonly heartbeatMs?: number;
  /** Longest time between two states of a moving entity, ms. */
  readonly movingHeartbeatMs?: number;
  /** True: send the newest state of an entity twice, because the path loses many packets. */
  readonly repeats?: boolean;
  /** Limit of bytes of states per second, heads included. */
  readonly bytesPerSecond?: number;
  /** Drop an event that could not be sent within this time, ms. 0: events must arrive, in order. */
  readonly eventLifetimeMs?: number;
  /** Shortest time between packets of messages and events, ms. */
  readonly messagePeriodMs?: number;
}

/** Messages from the authority to a participant. */
export type FromAuthority =
  /**
   * The authority refused a message or an entity. `spectator`: the sender is a spectator and may send
   * nothing.
   */
  | { readonly type: "refused"; readonly what: Refused; readonly reason: string }
  /** The participant owns the entity. All others know it by `id`. */
  | { readonly type: "granted"; readonly localId: number; readonly id: number }
  /**
   * The authority moved an entity of the participant. It must continue from this state (written as in `own`).
   */
  | { readonly type: "corrected"; readonly localId: number; readonly state: Uint8Array }
  /** Requests whole states, because the authority cannot decode the participant's states. */
  | { readonly type: "resync" }
  | ({ readonly type: "limits" } & ViewLimits);

/**
 * The room's limits that override parts of a participant's {@link ViewTerms}, and what waits for want of bytes;
 * empty if neither is the case.
 */
export interface ViewLimits {
  /**
   * Number of different terms that the room serves. It is exhausted, so this participant gets exact states at
   * each tick instead of its own terms.
   */
  readonly maxViews?: number;
  /** Limit of bytes of states per second. The participant asked for more. */
  readonly bytesPerSecond?: number;
  /** Number of entities whose states wait, because the budget in force is too small; absent if none waits. */
  readonly waiting?: number;
  /** The budget that would do for all of them, bytes per second. */
  readonly neededBytesPerSecond?: number;
  /** True while states wait because those before them take much longer than the path needs. */
  readonly isHeld?: boolean;
}

type Refused = "message" | "entity" | "kind" | "spectator";

const MAX_IDS = 256;
const MAX_REASON_CHARACTERS = 512;

/** Returns a message as the payload of a reliable one. */
export function writeAuthority(message: ToAuthority | FromAuthority): Uint8Array {
  return encodeAfter(PayloadKind.authority, message);
}

/** @__NO_SIDE_EFFECTS__ */
function within(min: number, max: number): Reader<number> {
  return optional((value) => numberOf(value, min, max));
}

const state: Reader<Uint8Array> = (value) => bytesOf(value, Infinity);
const limit: Reader<number> = within(Number.MIN_VALUE, Infinity);

/**
 * Reads a participant's message, without the payload's kind. Returns undefined if it is malformed or of an
 * unknown type.
 */
export const readToAuthority = messageReader<ToAuthority>({
  kinds: { kinds: readKinds },
  own: {
    localId: number16,
    name: (value) => textOf(value, Infinity),
    schemaHash: (value) => numberOf(value, -Infinity, Infinity),
    state,
    tickHz: (value) => wholeOf(value, 1, 255),
    tick: optional(number32),
  },
  disown: { localId: number16 },
  view: {
    isInterpolated: boolean,
    everyTicks: (value) => wholeOf(value, 1, MAX_EVERY_TICKS),
    repeats: optional(boolean),
    thresholdM: within(0, 1000),
    headingRad: within(0, Math.PI),
    heartbeatMs: within(100, MAX_HEARTBEAT_MS),
    movingHeartbeatMs: within(0, MAX_HEARTBEAT_MS),
    bytesPerSecond: within(500, 10_000_000),
    eventLifetimeMs: within(0, 60_000),
    messagePeriodMs: within(0, 100),
  },
  resync: { ids: listOf(number16, MAX_IDS) },
});

/**
 * Reads an authority's message, without the payload's kind. Returns undefined if it is malformed or of an
 * unknown type.
 */
export const readFromAuthority = messageReader<FromAuthority>({
  refused: {
    what: oneOf("message", "entity", "kind", "spectator"),
    reason: (value) => textOf(value, MAX_REASON_CHARACTERS),
  },
  granted: { localId: number16, id: number16 },
  corrected: { localId: number16, state },
  resync: {},
  limits: {
    maxViews: limit,
    bytesPerSecond: limit,
    waiting: optional((value) => wholeOf(value, 1, 0xffff)),
    neededBytesPerSecond: limit,
    isHeld: optional(boolean),
  },
});
