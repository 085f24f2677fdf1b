import type { Cancel, LinkClose } from "@paceline/transport";
import { CloseCode, type MatchedSeat, type MatchRefusal } from "@paceline/protocol";
import { randomBytes } from "node:crypto";
import type { AddressShares } from "../limits/address-shares.js";
import { networkOf } from "../limits/network-address.js";
import { busy, full } from "./match-refusals.js";
import { isRefusal, type MatchRequest } from "./match-request.js";
import type { Participant } from "../sessions/participant.js";
import type { OwnPauses } from "../ops/own-pauses.js";
import type { RelaySettings } from "../options/relay-options.js";
import type { MatchedRoom, SeatRequest } from "../sessions/authority.js";
import type { Room } from "../sessions/room.js";
import type { RoomDirectory } from "./room-directory.js";

/** A seat that is reserved for a player. */
export interface ReservedSeat extends Omit<SeatRequest, "replaces"> {
  readonly room: Room;
  /** Number of rooms like its room that were full. */
  readonly fullRooms: number;
  /** The participant that the seat's session replaces, whose page reloads. */
  readonly before?: Participant | undefined;
  /** Number of the next message that the page lacks of the participant's session; undefined for another page. */
  readonly received?: number | undefined;
  /** Secret that takes the seat, once; undefined until the ticket is issued. */
  readonly ticket?: string;
  readonly webrtc?: boolean;
  readonly cancelRelease: Cancel;
}

/** A reserved seat whose ticket is not issued yet. */
export interface HeldSeat {
  readonly room: Room;
  readonly sessionId: string;
  readonly identity?: string | undefined;
}

const SESSION_ID_BYTES = 12;
const TICKET_BYTES = 24;
const TICKET = /^[\w-]{32}$/;

/** Reserved seats: first without a time limit while the room opens, then for the lifetime of the ticket. */
export class Seats {
  readonly #settings: RelaySettings;
  readonly #rooms: RoomDirectory;
  readonly #shares: AddressShares;
  readonly #pauses: OwnPauses;
  readonly #seats = new Map<string, ReservedSeat>();
  /** Session ids by ticket. */
  readonly #tickets = new Map<string, string>();
  /** Expiry of used tickets, ms. All live equally long, so the oldest expires first. */
  readonly #used = new Map<string, number>();

  /**
   * `shares`: counts sessions and seats per address. After a seat is taken, its session gives the share back.
   */
  constructor(settings: RelaySettings, rooms: RoomDirectory, shares: AddressShares, pauses: OwnPauses) {
    this.#settings = settings;
    this.#rooms = rooms;
    this.#shares = shares;
    this.#pauses = pauses;
  }

  get size(): number {
    return this.#seats.size;
  }

  /** Reserves a seat in a room, without a time limit until its ticket is issued. */
  hold(room: Room, request: MatchRequest, address: string, auth?: unknown): HeldSeat | MatchRefusal {
    const refusal = this.#tooMany(room, address);
    if (refusal) return refusal;
    const { method, options, group, spectate: isSpectator = false } = request;
    const isAnywhere = method === "joinOrCreate" && !isSpectator && !group;
    const fullRooms = isAnywhere ? this.#rooms.fullLike(room) : 0;
    const sessionId = this.#reserve({ room, options, auth, isSpectator, address, fullRooms });
    this.#rooms.recordGroupSeat(request, room, sessionId);
    return { room, sessionId };
  }

  /**
   * Reserves a seat for the next page of a participant. It needs no place of its own, and only the rate of news
   * to the members applies.
   */
  holdSuccessor(before: Participant, address: string, received?: number): HeldSeat | MatchRefusal {
    const { room } = before;
    if (!room.admitNews(this.#settings.scheduler.nowMs())) return this.#tooManyJoin();
    before.keepAtLeast(this.#settings.limits.ticketLifetimeMs);
    const isSpectator = room.isSpectator(before);
    const plain = { options: {}, auth: undefined, fullRooms: 0 };
    const sessionId = this.#reserve({ ...plain, room, before, received, isSpectator, address });
    return { room, sessionId };
  }

  /** Issues the ticket for a reserved seat. When the ticket expires, the seat is given back. */
  issue({ room, sessionId, identity }: HeldSeat, webrtc: boolean): MatchedSeat | MatchRefusal {
    const seat = this.#seats.get(sessionId);
    // The server may have stopped while the room was opening.
    if (!seat) return full(503, "the server is stopping");
    const { limits } = this.#settings;
    const cancelRelease = this.#pauses.after(limits.ticketLifetimeMs, () => this.release(sessionId));
    const ticket = randomId(TICKET_BYTES);
    this.#seats.set(sessionId, { ...seat, ticket, webrtc, cancelRelease });
    this.#tickets.set(ticket, sessionId);
    const seated = { ticket, roomId: room.id, roomName: room.name, sessionId: seat.before?.id ?? sessionId };
    return identity === undefined ? seated : { ...seated, identity };
  }

  /** Opens a private room for players of another room and issues a ticket for each of them. */
  async openMatch({
    roomName,
    options,
    players,
    build = "",
  }: MatchedRoom): Promise<readonly MatchedSeat[] | MatchRefusal> {
    const room = this.#rooms.openFor(roomName, options, players.length, build);
    if (isRefusal(room)) return room;
    room.isPrivate = true;
    const held = players.map(({ auth, options: own, address }) => {
      const place = { room, isSpectator: false, fullRooms: 0 };
      return { room, sessionId: this.#reserve({ ...place, options: own, auth, address }) };
    });
    const failed = await room.opening;
    const seats = held.map((each, index) => failed ?? this.issue(each, players[index]!.webrtc));
    const refusal = seats.find(isRefusal);
    for (const [index, { sessionId }] of held.entries()) {
      if (refusal || players[index]!.isGone()) this.release(sessionId);
    }
    return refusal ?? (seats as MatchedSeat[]);
  }

  get(sessionId: string): ReservedSeat | undefined {
    return this.#seats.get(sessionId);
  }

  /** Uses a ticket up, and returns the session of its seat, or the reason of a refusal. `address`: the link's. */
  redeem(ticket: string, address: string): { sessionId: string; webrtc: boolean } | LinkClose {
    const { bindTicketsToAddress, limits, scheduler } = this.#settings;
    if (this.#used.has(ticket)) return { code: CloseCode.ticketUsed, reason: "the ticket was used before" };
    if (!TICKET.test(ticket)) return { code: CloseCode.refused, reason: "not a ticket" };
    const sessionId = this.#tickets.get(ticket);
    const seat = sessionId === undefined ? undefined : this.#seats.get(sessionId);
    if (sessionId === undefined || !seat)
      return { code: CloseCode.ticketExpired, reason: "the ticket's time is over" };
    if (bindTicketsToAddress && networkOf(address) !== networkOf(seat.address))
      return { code: CloseCode.refused, reason: "the ticket was given to another address" };
    const nowMs = scheduler.nowMs();
    for (const [oldest, expiresAtMs] of this.#used) {
      if (expiresAtMs > nowMs) break;
      this.#used.delete(oldest);
    }
    this.#used.set(ticket, nowMs + limits.ticketLifetimeMs);
    return { sessionId, webrtc: seat.webrtc === true };
  }

  /** Removes and returns a seat that its session takes. */
  take(sessionId: string): ReservedSeat | undefined {
    const seat = this.#seats.get(sessionId);
    seat?.cancelRelease();
    this.#seats.delete(sessionId);
    if (seat?.ticket !== undefined) this.#tickets.delete(seat.ticket);
    return seat;
  }

  release(sessionId: string): void {
    const seat = this.take(sessionId);
    if (!seat) return;
    seat.room.release(sessionId);
    this.#shares.release(seat.address);
    this.#rooms.groups.left(sessionId);
    this.#rooms.disposeIfEmpty(seat.room);
  }

  /** Gives back the seat of a ticket that nobody will use. Does nothing if it has been used. */
  withdraw(ticket: string): void {
    const sessionId = this.#tickets.get(ticket);
    if (sessionId !== undefined) this.release(sessionId);
  }

  clear(): void {
    for (const sessionId of [...this.#seats.keys()]) this.release(sessionId);
  }

  #tooMany(room: Room, address: string): MatchRefusal | undefined {
    const { counters, scheduler } = this.#settings;
    if (!this.#shares.admits(address)) {
      counters.count("limited", "sessionsPerAddress");
      return busy("this network has its share of the seats of a busy server");
    }
    return room.admitJoin(scheduler.nowMs()) ? undefined : this.#tooManyJoin();
  }

  #tooManyJoin(): MatchRefusal {
    this.#settings.counters.count("limited", "joinsPerRoom");
    return busy("too many join this room at once");
  }

  #reserve(seat: Omit<ReservedSeat, "cancelRelease">): string {
    const sessionId = randomId(SESSION_ID_BYTES);
    if (seat.before) seat.room.reserveSuccessor(sessionId);
    else seat.room.reserve(sessionId, seat.isSpectator);
    this.#shares.take(seat.address);
    this.#seats.set(sessionId, { ...seat, cancelRelease: () => undefined });
    return sessionId;
  }
}

/** Returns a random text of characters that a subprotocol may have. */
export function randomId(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}
