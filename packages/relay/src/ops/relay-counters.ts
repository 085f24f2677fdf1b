import { CloseCode, type TrafficClassName } from "@paceline/protocol";
import type { LinkKind } from "@paceline/transport";

/** Number of packets and of their bytes. */
export interface TrafficCount {
  packets: number;
  bytes: number;
}

/** Counts by name. */
export type CountsByName = Readonly<Record<string, number>>;

const limitSubjects = [
  "matchesPerAddress",
  "linksPerAddress",
  "roomsPerAddress",
  "groupPlacesPerAddress",
  "healthPerAddress",
  "openRoomsPerAddress",
  "sessionsPerAddress",
  "connectionsPerAddress",
  "egressPerRoom",
  "egressPerAddress",
  "heldBytesPerAddress",
  "heldBytes",
  "trafficPerSession",
  "signalsPerSession",
  "authorityMessagesPerSession",
  "joinsPerRoom",
  "bytesPerRoom",
  "forwardsPerRoom",
  "forwards",
] as const;
/** The subject of a limit: one network address, one session, or one room. */
export type LimitSubject = (typeof limitSubjects)[number];

/**
 * Places that contain errors: a `packet` or a `timer` of a session, an HTTP `request` or an `upgrade`,
 * `webrtc` of the server, the authority of a `room`. Outside of the relay: a `rejection` that nobody handles,
 * an `exception` that nobody catches.
 */
const faultPlaces = [
  "packet",
  "timer",
  "request",
  "upgrade",
  "webrtc",
  "room",
  "rejection",
  "exception",
] as const;
/** A place that contains errors. */
export type FaultPlace = (typeof faultPlaces)[number];

const closeCodeNames = new Map(Object.entries(CloseCode).map(([name, code]) => [code as number, name]));
// RFC 6455, section 7.4.1: a message larger than the socket reads.
closeCodeNames.set(1009, "messageTooBig");

type CountedGroup =
  "seats" | "matchRefusals" | "limited" | "entries" | "linkCloses" | "sessionEnds" | "faults" | "saves";

/** Counters since the start, for monitoring. They never decrease. */
export class RelayCounters {
  /** Seats given out, by match method. */
  readonly seats: Record<string, number> = {};
  /** Match requests that got no seat, by error code (docs/ERRORS.md). */
  readonly matchRefusals: Record<string, number> = {};
  /** Refusals because of a limit, by the limit's subject. */
  readonly limited = zeroFor(limitSubjects);
  /** Participants who came with a ticket (`joined`) or came back with a token (`resumed`). */
  readonly entries = { joined: 0, resumed: 0 };
  /**
   * Links that ended or were refused, by the name of their close code. Also `upgradeMissing`: a proxy removed
   * the upgrade header; `tooManyConnections`: no socket was free; `requestTimeout`: a half-open connection
   * sent no request in time; `badRequest`: the bytes were no HTTP, or the request's target or `Host` is invalid;
   * `pageRefused`: a page of an origin, or under a name, that is not allowed asked for a file.
   */
  readonly linkCloses: Record<string, number> = {};
  /** Sessions that ended, by the name of their close code. */
  readonly sessionEnds: Record<string, number> = {};
  /**
   * Effects of the limits of forwards: waiting states that a newer one replaced; pauses in the reading of a
   * session, which cause no loss, and their time.
   */
  readonly backPressure = { statesReplaced: 0, pauses: 0, pausedMs: 0 };
  /**
   * Saves of rooms. `skipped`: the one before was not done; `refused`: the room cannot be saved, and the log says why;
   * `failed`: the store could not keep it. `restored`: rooms that an earlier process had saved; `unreadable`: saves of
   * them that could not be used.
   */
  readonly saves = { saved: 0, skipped: 0, refused: 0, failed: 0, restored: 0, unreadable: 0 };
  /**
   * Calls of the store of rooms: see `GuardCounts`. All stay 0 without a store.
   */
  readonly store = { saved: 0, replaced: 0, failed: 0, timedOut: 0, lied: 0, blocked: 0 };
  /** Contained errors, by place. Above 0 there is a bug: the log has the stack. */
  readonly faults = zeroFor(faultPlaces);
  /** Sent packets, by kind of link, then by traffic class. */
  readonly sent: Partial<Record<LinkKind, Partial<Record<TrafficClassName, TrafficCount>>>> = {};
  /** Received packets, by kind of link. */
  readonly received: Partial<Record<LinkKind, TrafficCount>> = {};

  /** Adds one to a counter. */
  count<Group extends CountedGroup>(group: Group, name: keyof RelayCounters[Group] & string): void {
    const counts = this[group] as Record<string, number>;
    counts[name] = (counts[name] ?? 0) + 1;
  }

  /** Counts a close by the name of its code; `other` for codes that the other side may choose freely. */
  countClose(group: "linkCloses" | "sessionEnds", code: number): void {
    this.count(group, closeCodeNames.get(code) ?? "other");
  }

  packetSent(kind: LinkKind, trafficClass: TrafficClassName, bytes: number, packets = 1): void {
    const sent = ((this.sent[kind] ??= {})[trafficClass] ??= { packets: 0, bytes: 0 });
    sent.packets += packets;
    sent.bytes += bytes;
  }

  packetReceived(kind: LinkKind, bytes: number): void {
    const received = (this.received[kind] ??= { packets: 0, bytes: 0 });
    received.packets += 1;
    received.bytes += bytes;
  }
}

function zeroFor<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}

/** The counters of a relay. */
export type RelayCounts = Readonly<
  Pick<RelayCounters, CountedGroup | "backPressure" | "store" | "sent" | "received">
>;
