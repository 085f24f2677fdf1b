import { CloseCode, type TrafficClassName } from "@paceline/protocol";
import type { LinkKind } from "@paceline/transport";

/** Packets and their bytes. */
export interface TrafficCount {
  packets: number;
  bytes: number;
}

/** Counts by name. */
export type CountsByName = Readonly<Record<string, number>>;

/** The subjects of limits: one network address, one session, or one room. */
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
] as const;
/** The subject of a limit. */
export type LimitSubject = (typeof limitSubjects)[number];

/**
 * The places that contain errors: in a `packet` or a `timer` of a session, in an HTTP `request` or an `upgrade`, in `webrtc`
 * of the server, in the authority of a `room`; or, outside of the relay, as a `rejection` that nobody handles or an
 * `exception` that nobody catches.
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
/** The place that contained an error. */
export type FaultPlace = (typeof faultPlaces)[number];

/** Counters since the start, for monitoring. They never decrease. */
export interface RelayCounts {
  /** Seats given out, by the way of asking. */
  readonly seats: CountsByName;
  /** Match requests that got no seat, by code of docs/ERRORS.md. */
  readonly matchRefusals: CountsByName;
  /** Refusals because of a limit, by the limit's subject. */
  readonly limited: Readonly<Record<LimitSubject, number>>;
  /** Participants who came by a ticket (`joined`) or came back by a token (`resumed`). */
  readonly entries: CountsByName;
  /**
   * Links that ended or were not let in, by the name of their close code; `upgradeMissing`: a proxy has stripped it,
   * `tooManyConnections`: there was no place for one more socket; `requestTimeout`: half open, nothing was asked for in
   * time; `badRequest`: what came was no HTTP.
   */
  readonly linkCloses: CountsByName;
  /** Sessions that ended, likewise. */
  readonly sessionEnds: CountsByName;
  /** Errors that were contained, by the place where they were. Above 0 there is a mistake to mend: the log has the stack. */
  readonly faults: Readonly<Record<FaultPlace, number>>;
  /** Counts by kind of link, then by class of traffic. */
  readonly sent: Readonly<
    Partial<Record<LinkKind, Readonly<Partial<Record<TrafficClassName, TrafficCount>>>>>
  >;
  /** Counts by kind of link. */
  readonly received: Readonly<Partial<Record<LinkKind, TrafficCount>>>;
}

const closeCodeNames = new Map(Object.entries(CloseCode).map(([name, code]) => [code as number, name]));
// RFC 6455, section 7.4.1: a message beyond what a socket reads.
closeCodeNames.set(1009, "messageTooBig");

/** Counts what passes the relay's doors. */
export class RelayCounters implements RelayCounts {
  readonly seats: Record<string, number> = {};
  readonly matchRefusals: Record<string, number> = {};
  readonly limited = zeroFor(limitSubjects);
  readonly entries = { joined: 0, resumed: 0 };
  readonly linkCloses: Record<string, number> = {};
  readonly sessionEnds: Record<string, number> = {};
  readonly faults = zeroFor(faultPlaces);
  readonly sent: Partial<Record<LinkKind, Partial<Record<TrafficClassName, TrafficCount>>>> = {};
  readonly received: Partial<Record<LinkKind, TrafficCount>> = {};

  seatGiven(method: string): void {
    addOne(this.seats, method);
  }

  matchRefused(code: string): void {
    addOne(this.matchRefusals, code);
  }

  limitReached(subject: LimitSubject): void {
    this.limited[subject] += 1;
  }

  entered(how: "joined" | "resumed"): void {
    this.entries[how] += 1;
  }

  linkClosed(code: number): void {
    addOne(this.linkCloses, nameOf(code));
  }

  /** A link that did not come so far as to have a close code. */
  linkRefused(name: "upgradeMissing" | "tooManyConnections" | "requestTimeout" | "badRequest"): void {
    addOne(this.linkCloses, name);
  }

  sessionEnded(code: number): void {
    addOne(this.sessionEnds, nameOf(code));
  }

  faulted(place: FaultPlace): void {
    this.faults[place] += 1;
  }

  packetSent(kind: LinkKind, trafficClass: TrafficClassName, bytes: number): void {
    const byClass = (this.sent[kind] ??= {});
    add((byClass[trafficClass] ??= { packets: 0, bytes: 0 }), bytes);
  }

  /** Counts several packets at once. */
  packetsSent(kind: LinkKind, trafficClass: TrafficClassName, { packets, bytes }: TrafficCount): void {
    const sent = ((this.sent[kind] ??= {})[trafficClass] ??= { packets: 0, bytes: 0 });
    sent.packets += packets;
    sent.bytes += bytes;
  }

  packetReceived(kind: LinkKind, bytes: number): void {
    add((this.received[kind] ??= { packets: 0, bytes: 0 }), bytes);
  }
}

/** A code that is not ours is one name: the other side chooses it, and could choose a thousand. */
function nameOf(code: number): string {
  return closeCodeNames.get(code) ?? "other";
}

function addOne(counts: Record<string, number>, name: string): void {
  counts[name] = (counts[name] ?? 0) + 1;
}

function add(count: TrafficCount, bytes: number): void {
  count.packets += 1;
  count.bytes += bytes;
}

function zeroFor<Name extends string>(names: readonly Name[]): Record<Name, number> {
  return Object.fromEntries(names.map((name) => [name, 0])) as Record<Name, number>;
}
