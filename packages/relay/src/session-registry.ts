import { randomBytes } from "node:crypto";
import {
  CloseCode,
  SERVER_NUMBER,
  type ClientMessage,
  type DropReason,
  type IceServer,
  type MatchedSeat,
  type RoomListing,
  type ServerMessage,
  type MatchRefusal,
} from "@paceline/protocol";
import { DropCounters, type Cancel, type LinkClose } from "@paceline/transport";
import { AddressBuckets } from "./limits/address-buckets.js";
import { AddressShares } from "./limits/address-shares.js";
import { Forwarder } from "./forwarding/forwarder.js";
import type { AdmittedLink } from "./admission/admitted-link.js";
import { LogThrottle } from "./ops/log.js";
import { full, ROOM_FAILED } from "./matchmaking/match-refusals.js";
import { isRefusal, type MatchRequest } from "./matchmaking/match-request.js";
import { MemoryBudget } from "./limits/memory-budget.js";
import { sharingNetworks } from "./limits/network-address.js";
import { Participant, type ParticipantHandlers } from "./sessions/participant.js";
import type { RelaySettings } from "./options/relay-options.js";
import type { Caller, Meeting, RoomAuthority, RoomHost } from "./authority/room-host.js";
import type { RoomReport } from "./ops/report.js";
import { hashOf } from "./admission/resume-tokens.js";
import { tellRetained } from "./sessions/retained-states.js";
import { Room } from "./sessions/room.js";
import { RoomDirectory } from "./matchmaking/room-directory.js";
import type { Held, Newcomer, ReservedSeat } from "./matchmaking/seat.js";
import { Seats } from "./matchmaking/seats.js";
import { signalPayload } from "./signaling/signal-payload.js";
import { StripeTickets } from "./admission/stripe-tickets.js";
import { TicketService } from "./admission/ticket-service.js";
import { WebRtcAnswerer } from "./signaling/webrtc-answerer.js";

const TOKEN_BYTES = 24;
/** The close of a page's links may arrive this much later than the next page's request. */
const FAREWELL_MS = 300;
const FAREWELL_POLL_MS = 20;
const MAX_ROOMS_TRIED = 8;
/** A welcome has to fit into one message, beside a room's options and kinds: of further peers the newcomer hears after it. */
const MAX_PEERS_IN_WELCOME = 100;
/** A participant who is away gets no signals beyond these: others could fill its queue until it is cut. */
const MAX_UNACKNOWLEDGED_SIGNALS = 256;

/** Rooms, seats and participants: all of the relay but HTTP and sockets. */
export class SessionRegistry {
  readonly #settings: RelaySettings;
  readonly #rooms: RoomDirectory;
  readonly #participants = new Map<string, Participant>();
  readonly #seats: Seats;
  readonly #shares: AddressShares;
  readonly #tickets: TicketService;
  readonly #stripes: StripeTickets<Participant>;
  /** Drops of the relay and all of its sessions, so that nobody has to add them up. */
  readonly #drops = new DropCounters();
  readonly #forwarder: Forwarder;
  readonly #endings: LogThrottle;
  readonly #memory: MemoryBudget;
  readonly #egress: AddressBuckets;
  /** Rooms that an address opens. */
  readonly #webRtc: WebRtcAnswerer;
  readonly #stopRenewing: Cancel | undefined;
  readonly #participantHandlers: ParticipantHandlers;
  #isDraining = false;
  #isStopping = false;
  #drainsUntilMs: number | undefined;

  constructor(settings: RelaySettings) {
    this.#settings = settings;
    this.#tickets = new TicketService(settings);
    this.#forwarder = new Forwarder(this.#drops, settings.scheduler, settings.coalesceMs);
    this.#endings = new LogThrottle(settings.scheduler);
    const { egressBytesPerSecondPerAddress, egressBurstPerAddress } = settings.limits;
    this.#egress = new AddressBuckets(
      egressBytesPerSecondPerAddress,
      egressBurstPerAddress,
      settings.scheduler,
    );
    this.#memory = new MemoryBudget(settings, () => this.#participants.values());
    this.#rooms = new RoomDirectory(settings, (meeting) => this.#meet(meeting));
    const { maxSessions, addressSharePercent } = settings.limits;
    this.#shares = new AddressShares({ capacity: maxSessions, sharePercent: addressSharePercent });
    this.#seats = new Seats(settings, this.#rooms, this.#tickets, this.#shares);
    this.#webRtc = new WebRtcAnswerer(settings, {
      onReady: () => this.#announceWebRtc(),
      onDropped: (reason) => this.#drops.count(reason),
    });
    const { turn, scheduler } = settings;
    this.#stopRenewing = turn && scheduler.every(turn.lifetimeMs / 2, () => this.#renewCredentials());
    this.#stripes = new StripeTickets(settings.scheduler);
    this.#participantHandlers = {
      onOpened: (participant) => {
        if (!participant.room.host) this.#introduce(participant);
      },
      onReturned: (participant, wasAway) => {
        const { room, number, isIntroduced } = participant;
        // In a room with an authority nothing went between players that could be lost.
        const isNews = wasAway || !room.host;
        if (isIntroduced && isNews) room.tellOthers(participant, { type: "back", number });
      },
      onDropped: (participant) => {
        const { room, number, isIntroduced, isPageClosed: closed } = participant;
        if (!isIntroduced) return;
        room.tellOthers(participant, { type: "away", number, closed });
        this.#atHost(room, (host) => host.dropped(participant));
      },
      onMessage: (participant, message, bytes) => this.#receive(participant, message, bytes),
      onRouted: (participant, packet) => {
        // A player that talks with the authority alone has no sessions with other players.
        if (participant.room.host) return participant.session.drops.count("not-allowed");
        this.#forwarder.forward(participant, packet);
      },
      onRefused: (subject) => {
        this.#drops.count("rate-limit");
        settings.counters.limitReached(subject);
      },
      onFault: (participant, place, error) => {
        settings.faults.report(place, error, { sessionId: participant.id, roomId: participant.room.id });
      },
      onGone: (participant, close) => this.#gone(participant, close),
    };
  }

  get roomCount(): number {
    return this.#rooms.size;
  }

  get sessionCount(): number {
    return this.#participants.size;
  }

  get isDraining(): boolean {
    return this.#isDraining;
  }

  get isStopping(): boolean {
    return this.#isStopping;
  }

  /** WebRTC links to the relay, and their UDP port where there is one. */
  get webRtc(): { readonly linkCount: number; readonly port: number | undefined } {
    return this.#webRtc;
  }

  /** Drops since the start, by reason. */
  drops(): Partial<Record<DropReason, number>> {
    return this.#drops.toRecord();
  }

  /** As {@link reserve}, but asks the authority of the room first where it has one. */
  async match(request: MatchRequest, caller: Caller): Promise<MatchedSeat | MatchRefusal> {
    const wish = (await this.#isSeatOfTab(request)) ? againOf(request) : request;
    const authority = this.#authorityFor(wish);
    const held = authority ? await this.#granted(wish, caller, authority) : this.#hold(wish, caller.address);
    return isRefusal(held) ? held : this.#seats.issue(held, wish.webrtc);
  }

  /** Whether the tab of this page has a seat in a room as it is asked for, which no other page uses. */
  async #isSeatOfTab(request: MatchRequest): Promise<boolean> {
    const { method, target, seat } = request;
    const participant = seat && this.#participants.get(seat.session);
    // A participant that has not been admitted has no seat to return to.
    if (!participant?.isIntroduced || !participant.hasToken(seat!.token)) return false;
    const { room } = participant;
    const isAsked = method === "joinById" ? this.#rooms.find(target) === room : room.name === target;
    if (!isAsked || method === "create" || this.#rooms.buildRefusal(room, request)) return false;
    if (!seat!.ifAway) return true;
    const { scheduler } = this.#settings;
    for (let waitedMs = 0; !participant.isAway && waitedMs < FAREWELL_MS; waitedMs += FAREWELL_POLL_MS) {
      await new Promise<void>((resolve) => void scheduler.after(FAREWELL_POLL_MS, resolve));
    }
    return participant.isAway && !participant.isGone;
  }

  /** Finds or opens a room and keeps a seat in it for as long as the ticket lives. */
  reserve(request: MatchRequest, address = ""): MatchedSeat | MatchRefusal {
    const held = this.#hold(request, address);
    return isRefusal(held) ? held : this.#seats.issue(held, request.webrtc);
  }

  /** Keeps a seat, for now without end. */
  #hold(request: MatchRequest, address: string, auth?: unknown): Held | MatchRefusal {
    const isBack = request.method === "reconnect";
    const refusal = this.#closedUpgradeHandler(isBack ? 0 : 1, isBack);
    if (refusal) return refusal;
    if (isBack) return this.#holdAgain(request, address);
    const room = this.#rooms.roomFor(request, address);
    return room instanceof Room ? this.#seats.hold(room, request, address, auth) : room;
  }

  /** The place of a session, for who knows its token; even in a full room. */
  #holdAgain(request: MatchRequest, address: string): Held | MatchRefusal {
    const participant = this.#participants.get(request.target);
    if (participant?.hasToken(request.token)) {
      const refusal = this.#rooms.buildRefusal(participant.room, request);
      return refusal ?? this.#seats.holdAgain(participant, address);
    }
    return {
      status: 404,
      code: "match/not-found",
      message: "no such session (any more), or one of another server: join as usual",
    };
  }

  /** Keeps a seat for somebody whom the room's authority lets in, once the room is open. */
  async #granted(
    request: MatchRequest,
    caller: Caller,
    authority: RoomAuthority,
  ): Promise<Held | MatchRefusal> {
    const { method, options, authToken = "" } = request;
    const roomName = this.#roomNameOf(request);
    // A returning player was admitted before.
    const grant =
      method === "reconnect"
        ? { auth: undefined, options }
        : await authority.authorize({ method, roomName, options, authToken, caller });
    if (isRefusal(grant)) return grant;
    const identity = "identity" in grant ? grant.identity : undefined;
    // While it is being opened a room may say that it takes fewer: the next one, then.
    for (let tries = 0; tries < MAX_ROOMS_TRIED; tries++) {
      const held = this.#hold({ ...request, options: grant.options }, caller.address, grant.auth);
      if (isRefusal(held)) return held;
      const failed = await held.room.opening;
      if (!failed && !held.room.isBeyond(held.sessionId)) return { ...held, identity };
      this.#seats.release(held.sessionId);
      if (failed) return failed;
    }
    return full(503, "rooms fill faster than they are opened");
  }

  /** A room's authority wants some of its participants to go on in a room of their own. */
  async #meet(meeting: Meeting): Promise<readonly MatchedSeat[] | MatchRefusal> {
    return this.#closedUpgradeHandler(meeting.guests.length) ?? (await this.#seats.meet(meeting));
  }

  /** {@link RoomDirectory.list} */
  list(...[name, filter]: Parameters<RoomDirectory["list"]>): RoomListing[] | MatchRefusal {
    return this.#rooms.list(name, filter);
  }

  /** Seats whoever comes with a ticket, or closes the link with the reason. */
  admit(admitted: AdmittedLink, ticket: string, address = ""): void {
    if (this.#isStopping) return admitted.link.close(CloseCode.serverShutdown, "the server is stopping");
    const claims = this.#tickets.take(ticket, address, (sessionId) => this.#seats.has(sessionId));
    if ("reason" in claims) return this.#refuse(admitted, claims.code, claims.reason);
    this.#claim(claims.sessionId, claims.webrtc, admitted);
  }

  /** Finds a seat and takes it in one step, or closes the link with the reason. */
  join(admitted: AdmittedLink, request: MatchRequest, caller: Caller): void {
    if (this.#isStopping) return admitted.link.close(CloseCode.serverShutdown, "the server is stopping");
    const authority = this.#authorityFor(request);
    if (!authority) return this.#enter(admitted, request, this.#hold(request, caller.address));
    this.#granted(request, caller, authority).then(
      (held) => this.#enter(admitted, request, held),
      (error: unknown) => this.#failed(admitted, error),
    );
  }

  /** Gives a participant one more socket for states, or closes the link with the reason. */
  stripe(admitted: AdmittedLink, ticket: string): void {
    const participant = this.#stripes.take(ticket);
    if (!participant) return this.#refuse(admitted, CloseCode.refused, "not a ticket for one more socket");
    participant.addStripe(admitted);
  }

  /** Gives a participant a new link in place of its older ones, or closes the link with the reason. */
  resume(admitted: AdmittedLink, sessionId: string, token: string): void {
    if (this.#isStopping) return admitted.link.close(CloseCode.serverShutdown, "the server is stopping");
    const participant = this.#participants.get(sessionId);
    if (!participant) {
      return this.#refuse(admitted, CloseCode.sessionUnknown, "the session is not known (any more)");
    }
    if (!participant.acceptsResumeToken(token)) {
      return this.#refuse(admitted, CloseCode.refused, "a token that is wrong, or was used before");
    }
    this.#settings.log.debug("session resumed", { sessionId, roomId: participant.room.id });
    participant.attach(admitted);
    participant.tellResumeToken((resumeToken) => ({
      type: "resumed",
      resumeToken,
      ...tickOf(participant),
    }));
    // TURN credentials may have ended while the participant was away.
    if (this.#settings.turn) this.#renewFor(participant);
    this.#settings.counters.entered("resumed");
    if (participant.isIntroduced) this.#atHost(participant.room, (host) => host.returned(participant));
  }

  /** The present rooms and their participants. */
  reports(): RoomReport[] {
    return Array.from(this.#rooms.all, (room) => ({
      roomId: room.id,
      roomName: room.name,
      maxPlayers: room.maxPlayers,
      taken: room.taken,
      sessions: Array.from(room.participants, (participant) => participant.report),
    }));
  }

  /** Removes a participant; false where there is none with this session id. */
  kick(sessionId: string, reason: string): boolean {
    const participant = this.#participants.get(sessionId);
    participant?.end(CloseCode.kicked, reason);
    return participant !== undefined;
  }

  /** Gives out no seats any more, but for those who come back; sessions go on, for so long at most. */
  drain(timeoutMs: number): void {
    this.#isDraining = true;
    this.#drainsUntilMs = this.#settings.scheduler.nowMs() + timeoutMs;
    const message = this.#draining(this.#drainsUntilMs);
    for (const participant of this.#participants.values()) {
      if (participant.isIntroduced || !participant.room.host) participant.tell(message);
    }
    for (const room of [...this.#rooms.all]) this.#atHost(room, (host) => host.draining());
  }

  /** Takes nobody any more and ends every session; `endpoint` is where they should go on, if not here. */
  stop(endpoint?: string): void {
    this.#isDraining = true;
    this.#isStopping = true;
    this.#stopRenewing?.();
    this.#memory.stop();
    this.#seats.clear();
    this.#rooms.groups.clear();
    for (const participant of this.#participants.values()) {
      if (endpoint !== undefined) participant.tell({ type: "moving", endpoint });
      participant.end(CloseCode.serverShutdown, "the server is shutting down");
    }
    this.#webRtc.close();
  }

  /** Why nobody gets a seat now, whoever it is. */
  #closedUpgradeHandler(newcomers: number, isBack = false): MatchRefusal | undefined {
    if (this.#isStopping) return full(503, "the server is stopping");
    if (this.#isDraining && !isBack) return full(503, "the server takes nobody new");
    const isFull = this.#participants.size + this.#seats.size + newcomers > this.#settings.limits.maxSessions;
    return isFull ? full(503, "the server is full") : undefined;
  }

  #draining(untilMs: number): ServerMessage {
    const restMs = Math.max(0, Math.ceil(untilMs - this.#settings.scheduler.nowMs()));
    return { type: "draining", timeoutMs: restMs };
  }

  #refuse(admitted: AdmittedLink, code: number, reason: string): void {
    this.#drops.count("credential");
    admitted.link.close(code, reason);
  }

  /** Takes the seat that was kept in one step with the asking, or says why there is none. */
  #enter(admitted: AdmittedLink, { method, webrtc }: MatchRequest, held: Held | MatchRefusal): void {
    const { counters } = this.#settings;
    if (isRefusal(held)) {
      counters.matchRefused(held.code);
      return refuseMatch(admitted, held);
    }
    counters.seatGiven(method);
    // While the room was being opened the link may have gone.
    if (admitted.link.state === "closed") return this.#seats.release(held.sessionId);
    this.#claim(held.sessionId, webrtc, admitted);
  }

  #claim(id: string, webrtc: boolean, admitted: AdmittedLink): void {
    const seat = this.#seats.take(id);
    if (!seat) return admitted.link.close(CloseCode.serverShutdown, "the server is stopping");
    const { before, room } = seat;
    if (!before) return this.#seat({ room, number: room.claim(id), id, webrtc, admitted }, seat);
    if (before.isGone) {
      this.#shares.give(seat.address);
      room.release(id);
      this.#rooms.disposeIfEmpty(room);
      return this.#refuse(admitted, CloseCode.ticketExpired, "the seat is not there any more");
    }
    before.end(CloseCode.replaced, "taken over by another page");
    const number = room.claim(id);
    // Between players a number is a session's: late packets of the old one must not be taken for the new one's.
    this.#seat({ room, number: room.host ? before.number : number, id: before.id, webrtc, admitted }, seat);
  }

  #authorityFor(request: MatchRequest): RoomAuthority | undefined {
    return this.#settings.rooms.get(this.#roomNameOf(request))?.authority;
  }

  #failed(admitted: AdmittedLink, error: unknown): void {
    this.#settings.faults.report("room", error);
    admitted.link.close(CloseCode.refused, ROOM_FAILED);
  }

  #roomNameOf({ method, target }: MatchRequest): string {
    if (method === "reconnect") return this.#participants.get(target)?.room.name ?? "";
    if (method === "joinById") return this.#rooms.find(target)?.name ?? "";
    return target;
  }

  #introduce(participant: Participant): void {
    participant.introduce();
    participant.room.tellOthers(participant, { type: "joined", peer: participant.info });
  }

  /** Lets the authority of the room have a look at who has come, then says welcome or goodbye. */
  async #present(participant: Participant, host: RoomHost, seat: ReservedSeat, token: string): Promise<void> {
    const refusal = await host.join(participant, { ...seat, replaces: seat.before?.id });
    if (participant.isGone) return;
    if (refusal !== undefined) return participant.end(CloseCode.joinRefused, refusal);
    this.#welcome(participant, token, seat);
    this.#introduce(participant);
  }

  #welcome(participant: Participant, token: string, { fullRooms }: ReservedSeat): void {
    const { room, number, id, seat } = participant;
    const all = room.peersOf(participant);
    const peers = all.slice(0, MAX_PEERS_IN_WELCOME);
    const place = { roomId: room.id, roomName: room.name, options: room.options };
    const authority = room.host && { authority: room.host.info };
    const role = room.isSpectator(participant) && { spectator: true as const };
    const elsewhere = fullRooms > 0 && { fullRooms };
    const iceServers = this.#iceServersFor(id);
    const { build } = this.#settings;
    participant.tellResumeToken((resumeToken) => {
      const secrets = { sessionId: id, token, resumeToken };
      const numbers = seat === number ? { number } : { number, seat };
      return {
        type: "welcome",
        ...secrets,
        ...numbers,
        ...place,
        peers,
        iceServers,
        ...authority,
        ...tickOf(participant),
        ...role,
        ...elsewhere,
        ...(build !== undefined && { build }),
      };
    });
    participant.tellAll(all.slice(MAX_PEERS_IN_WELCOME).map((peer) => ({ type: "joined", peer })));
    if (!room.host) tellRetained(participant);
    if (this.#webRtc.isReady) participant.tell(serverSpeaksWebRtc);
    if (this.#drainsUntilMs !== undefined) participant.tell(this.#draining(this.#drainsUntilMs));
  }

  #seat({ room, number, id, webrtc, admitted }: Newcomer, seat: ReservedSeat): void {
    const { scheduler, limits, log } = this.#settings;
    const token = randomId(TOKEN_BYTES);
    const { before } = seat;
    const tokens = [...(before?.tokens ?? []), hashOf(token)];
    const identity = { number, seat: before?.seat ?? number, id, webrtc, tokens };
    const handlers = this.#participantHandlers;
    const { address } = seat;
    const addressEgress = sharingNetworks(address).length > 0 ? this.#egress.hold(address) : [];
    const participant = new Participant({
      identity,
      address,
      addressEgress,
      room,
      scheduler,
      limits,
      handlers,
      drops: this.#drops,
    });
    room.add(participant, seat.isSpectator);
    this.#participants.set(id, participant);
    participant.attach(admitted);
    this.#settings.counters.entered("joined");
    log.debug("participant joined", { sessionId: id, number, roomId: room.id, roomName: room.name });
    if (!room.host) return this.#welcome(participant, token, seat);
    this.#present(participant, room.host, seat, token).catch((error: unknown) => {
      this.#settings.faults.report("room", error, { roomId: room.id });
      participant.end(CloseCode.joinRefused, ROOM_FAILED);
    });
  }

  #receive(participant: Participant, message: ClientMessage, messageBytes: number): void {
    if (message.type === "leave") return participant.end(CloseCode.left, "left");
    if (!participant.admitSignal()) return;
    if (message.type === "visibility") return participant.setHidden(message.hidden);
    if (message.type === "stripe") return this.#offerStripe(participant);
    if (message.type === "retain") return participant.retained.keep(message.states);
    if (message.type === "signal") return this.#signal(participant, message, messageBytes);
    if (!participant.setWebrtc(message.webrtc)) return;
    const { number } = participant;
    participant.room.tellOthers(participant, { type: "capabilities", number, webrtc: message.webrtc });
  }

  #offerStripe(participant: Participant): void {
    const ticket = this.#stripes.issue(participant);
    if (ticket === undefined) this.#drops.count("rate-limit");
    else participant.tell({ type: "stripe", ticket });
  }

  #signal(sender: Participant, message: ClientMessage & { type: "signal" }, messageBytes: number): void {
    if (messageBytes > this.#settings.limits.signalBytes) return sender.session.reportViolation("too-long");
    if (message.to === SERVER_NUMBER) return this.#webRtc.signal(sender, message.attempt, message.data);
    if (sender.room.host) return sender.session.drops.count("not-allowed");
    const receiver = sender.room.participant(message.to);
    if (!receiver || receiver === sender) return this.#drops.count("not-routable");
    if (receiver.session.unacknowledged >= MAX_UNACKNOWLEDGED_SIGNALS) return this.#drops.count("queue-full");
    const payload = signalPayload(sender.number, message);
    if (!payload) return sender.session.reportViolation("bad-message");
    receiver.send(payload);
  }

  #gone(participant: Participant, close: LinkClose): void {
    const { room, id, number } = participant;
    room.remove(participant);
    this.#participants.delete(id);
    this.#shares.give(participant.address);
    if (sharingNetworks(participant.address).length > 0) this.#egress.release(participant.address);
    // A returning player has the session's id, and still belongs to its group.
    if (close.code !== CloseCode.replaced) this.#rooms.groups.left(id);
    this.#webRtc.forget(participant);
    this.#stripes.forget(participant);
    this.#atHost(room, (host) => host.left(participant, close));
    if (participant.isIntroduced || !room.host) room.tellOthers(participant, { type: "left", number });
    this.#rooms.disposeIfEmpty(room);
    this.#settings.counters.sessionEnded(close.code);
    this.#logEnd(participant, close);
  }

  /** Tells the authority of a room something. One that throws cannot go on: its room ends, and no other. */
  #atHost(room: Room, tell: (host: RoomHost) => void): void {
    const { host } = room;
    if (!host || this.#settings.faults.contain("room", () => tell(host), { roomId: room.id })) return;
    room.end(CloseCode.roomClosed, ROOM_FAILED);
  }

  /** Tells the participants that joined before WebRTC was ready. */
  #announceWebRtc(): void {
    for (const participant of this.#participants.values()) participant.tell(serverSpeaksWebRtc);
  }

  #iceServersFor(sessionId: string): IceServer[] {
    const { iceServers, turn } = this.#settings;
    return [...iceServers, ...(turn?.mint(sessionId) ?? [])];
  }

  /** In time before the passwords end; not to those who are away, who get new ones when they come back. */
  #renewCredentials(): void {
    for (const participant of this.#participants.values()) {
      if (participant.canTake("command")) this.#renewFor(participant);
    }
  }

  #renewFor(participant: Participant): void {
    participant.tell({ type: "iceServers", iceServers: this.#iceServersFor(participant.id) });
  }

  #logEnd({ id, room }: Participant, { code, reason }: LinkClose): void {
    const { log } = this.#settings;
    const fields = { sessionId: id, roomId: room.id, code, reason };
    if (code < CloseCode.protocolViolation) return log.debug("participant left", fields);
    this.#endings.write(log.warn, "session cut", fields);
  }
}

const serverSpeaksWebRtc: ServerMessage = { type: "capabilities", number: SERVER_NUMBER, webrtc: true };

/** The request of a page that takes its tab's seat again. */
function againOf(request: MatchRequest): MatchRequest {
  const { session, token } = request.seat!;
  return { ...request, method: "reconnect", target: session, token };
}

/** A browser cannot see the status of a refused upgrade; the reason begins with the code. */
export function refuseMatch(admitted: AdmittedLink, { code, message }: MatchRefusal): void {
  admitted.link.close(CloseCode.matchRefused, `${code} ${message}`);
}

function randomId(bytes: number): string {
  return randomBytes(bytes).toString("base64url");
}

/** The whole tick of the room's authority, if it has one. */
function tickOf(participant: Participant): { readonly tick?: number } {
  const { host } = participant.room;
  return host ? { tick: host.tickFor(participant) >>> 0 } : {};
}
