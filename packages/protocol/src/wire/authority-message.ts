import { PayloadKind } from "../errors/codes.js";
import { kindsOf, MAX_EVERY_TICKS, MAX_HEARTBEAT_MS, type KindInfo } from "./control.js";
import { decodeValue, encodeAfter } from "../bytes/value-codec.js";

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
  /** Most bytes of states per second, heads included. */
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

/** The room's limits that override parts of a participant's {@link ViewTerms}; empty if none does. */
export interface ViewLimits {
  /**
   * Number of different terms that the room serves. It is exhausted, so this participant gets exact states at
   * each tick instead of its own terms.
   */
  readonly maxViews?: number;
  /** Most bytes of states per second. The participant asked for more. */
  readonly bytesPerSecond?: number;
}

const refusedThings = ["message", "entity", "kind", "spectator"] as const;
type Refused = (typeof refusedThings)[number];

/** Valid ranges of {@link ViewTerms}, both ends included. */
const viewRanges = {
  thresholdM: [0, 1000],
  headingRad: [0, Math.PI],
  heartbeatMs: [100, MAX_HEARTBEAT_MS],
  movingHeartbeatMs: [0, MAX_HEARTBEAT_MS],
  bytesPerSecond: [500, 10_000_000],
  eventLifetimeMs: [0, 60_000],
  messagePeriodMs: [0, 100],
} as const;

const MAX_IDS = 256;
const MAX_TICK_HZ = 255;
const MAX_REASON_CHARACTERS = 512;

/** Returns a message as the payload of a reliable one. */
export function writeAuthority(message: ToAuthority | FromAuthority): Uint8Array {
  return encodeAfter(PayloadKind.authority, message);
}

/**
 * Reads a participant's message, without the payload's kind. Returns undefined if it is malformed or of an
 * unknown type.
 */
export function readToAuthority(bytes: Uint8Array): ToAuthority | undefined {
  const message = fieldsOf(bytes);
  if (message?.type === "kinds") {
    const kinds = kindsOf(message.kinds);
    return kinds && { type: "kinds", kinds };
  }
  if (message?.type === "view") return viewOf(message);
  if (message?.type === "own") return ownOf(message);
  if (message?.type === "disown") {
    return isId(message.localId) ? { type: "disown", localId: message.localId } : undefined;
  }
  return message?.type === "resync" ? resyncOf(message) : undefined;
}

function resyncOf(message: Readonly<Record<string, unknown>>): ToAuthority | undefined {
  if (!Array.isArray(message.ids) || message.ids.length > MAX_IDS) return undefined;
  const ids: unknown[] = message.ids;
  return ids.every(isId) ? { type: "resync", ids } : undefined;
}

/**
 * Reads an authority's message, without the payload's kind. Returns undefined if it is malformed or of an
 * unknown type.
 */
export function readFromAuthority(bytes: Uint8Array): FromAuthority | undefined {
  const message = fieldsOf(bytes);
  switch (message?.type) {
    case "refused": {
      const { reason } = message;
      const what = refusedThings.find((thing) => thing === message.what);
      if (what === undefined) return undefined;
      if (typeof reason !== "string" || reason.length > MAX_REASON_CHARACTERS) return undefined;
      return { type: "refused", what, reason };
    }
    case "granted":
      return isId(message.localId) && isId(message.id)
        ? { type: "granted", localId: message.localId, id: message.id }
        : undefined;
    case "corrected":
      return isId(message.localId) && message.state instanceof Uint8Array
        ? { type: "corrected", localId: message.localId, state: message.state }
        : undefined;
    case "resync":
      return { type: "resync" };
    case "limits":
      return limitsOf(message);
    default:
      return undefined;
  }
}

function limitsOf({
  maxViews,
  bytesPerSecond,
}: Readonly<Record<string, unknown>>): FromAuthority | undefined {
  if (!isLimit(maxViews) || !isLimit(bytesPerSecond)) return undefined;
  return { type: "limits", ...(maxViews && { maxViews }), ...(bytesPerSecond && { bytesPerSecond }) };
}

function viewOf(message: Readonly<Record<string, unknown>>): ToAuthority | undefined {
  const { isInterpolated, everyTicks, repeats } = message;
  const isRate = isId(everyTicks) && everyTicks >= 1 && everyTicks <= MAX_EVERY_TICKS;
  if (typeof isInterpolated !== "boolean" || !isRate) return undefined;
  if (repeats !== undefined && typeof repeats !== "boolean") return undefined;
  const numbers: Partial<Record<keyof typeof viewRanges, number>> = {};
  for (const [name, [min, max]] of Object.entries(viewRanges)) {
    const value = message[name];
    if (value === undefined) continue;
    if (typeof value !== "number" || !(value >= min && value <= max)) return undefined;
    numbers[name as keyof typeof viewRanges] = value;
  }
  return { type: "view", isInterpolated, everyTicks, ...(repeats !== undefined && { repeats }), ...numbers };
}

function ownOf(message: Readonly<Record<string, unknown>>): ToAuthority | undefined {
  const { localId, name, schemaHash, state, tickHz, tick } = message;
  if (!isId(localId) || typeof name !== "string" || !(state instanceof Uint8Array)) return undefined;
  if (!(isId(tickHz) && tickHz >= 1 && tickHz <= MAX_TICK_HZ)) return undefined;
  if (typeof schemaHash !== "number" || (tick !== undefined && !isTick(tick))) return undefined;
  return { type: "own", localId, name, schemaHash, state, tickHz, ...(tick !== undefined && { tick }) };
}

function fieldsOf(bytes: Uint8Array): Readonly<Record<string, unknown>> | undefined {
  const value = decodeValue(bytes)?.value;
  return typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as Readonly<Record<string, unknown>>)
    : undefined;
}

function isLimit(value: unknown): value is number | undefined {
  return value === undefined || (typeof value === "number" && value > 0);
}

function isTick(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value < 2 ** 32;
}

function isId(value: unknown): value is number {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= 0xffff;
}
