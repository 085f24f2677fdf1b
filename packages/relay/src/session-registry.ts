import {
  CloseCode,
  ConfigError,
  SERVER_NUMBER,
  writeControl,
  type ClientMessage,
  type IceServer,
  type MatchedSeat,
  type PeerInfo,
  type ServerMessage,
  type MatchRefusal,
} from "@paceline/protocol";
import { DropCounters, type Cancel, type LinkClose } from "@paceline/transport";
import { addressBuckets, type AddressBuckets } from "./limits/address-buckets.js";
import { AddressShares } from "./limits/address-shares.js";
import { Forwarder } from "./forwarding/forwarder.js";
import type { AdmittedLink } from "./admission/admitted-link.js";
import { LogThrottle } from "./ops/log.js";
import { GIVEN_UP_MS, OwnPauses } from "./ops/own-pauses.js";
import { full, notFound } from "./matchmaking/match-refusals.js";
import { isRefusal, type MatchRequest } from "./matchmaking/match-request.js";
import { boundMemory } from "./sessions/memory-budget.js";
import { sharingNetworks } from "./limits/network-address.js";
import { Participant, type ParticipantContext, type ParticipantOptions } from "./sessions/participant.js";
import type { RelaySettings } from "./options/relay-options.js";
import type { RoomReport } from "./ops/report.js";
import { hashOf } from "./admission/resume-tokens.js";
import { isExact, restoreRooms } from "./restored-rooms.js";
import { RoomSaves } from "./room-saves.js";
import type { SavedRoom, SavedSeat } from "./saving/saved-room.js";
import type {
  Caller,
  MatchedRoom,
  RestoredRoom,
  RoomAuthority,
  RoomCallbacks,
} from "./sessions/authority.js";
import { SessionEnds } from "./sessions/session-ends.js";
import { sendSlots } from "./sessions/stream-slots.js";
import { ROOM_FAILED, Room } from "./sessions/room.js";
import { RoomDirectory } from "./matchmaking/room-directory.js";
import { Seats, randomId, type HeldSeat, type ReservedSeat } from "./matchmaking/seats.js";
import { StripeTickets } from "./admission/stripe-tickets.js";
import { WebRtcAnswerer } from "./signaling/webrtc-answerer.js";

const TOKEN_BYTES = 24;
/** Longest wait for the close of a page's links after the next page's request, which may overtake it. */
const FAREWELL_MS = 300;
const FAREWELL_POLL_MS = 20;
const MAX_ROOMS_TRIED = 8;
/**
 * Limit because the welcome must fit into one message with the room's options and kinds. Further peers follow
 * in `joined` messages.
 */
const MAX_PEERS_IN_WELCOME = 100;
/**
 * Signals to a receiver with this many unacknowledged messages are dropped. Otherwise other participants
 * could fill the queue of one that is away until it is cut.
 */
const MAX_UNACKNOWLEDGED_SIGNALS = 256;

/** The answer to a client that has given up. Nobody reads it. */
const gaveUp = full(503, "the client has given up");

/** Holds rooms, seats and participants: all of the relay except HTTP and sockets. */
export class SessionRegistry implements ParticipantContext {
  readonly settings: RelaySettings;
  readonly pauses: OwnPauses;
  readonly rooms: RoomDirectory;
  readonly participants = new Map<string, Participant>();
  readonly seats: Seats;
  readonly #shares: AddressShares;
  readonly #ends: SessionEnds;
  readonly #stripes: StripeTickets<Participant>;
  /** Drops of the relay and all of its sessions together. */
  readonly drops = new DropCounters();
  readonly #forwarder: Forwarder;
  readonly #endings: LogThrottle;
  readonly #stopMemory: Cancel;
  readonly #egress: AddressBuckets;
  readonly webRtc: WebRtcAnswerer;
  readonly #stopRenewing: Cancel | undefined;
  readonly #saves: RoomSaves;
  clockShiftMs = 0;
  isStopping = false;
  #drainsUntilMs: number | undefined;

  constructor(settings: RelaySettings) {
    this.settings = settings;
    this.pauses = new OwnPauses(settings.scheduler);
    this.#forwarder = new Forwarder(this.drops, settings);
    this.#endings = new LogThrottle(settings.scheduler);
    this.#ends = new SessionEnds(settings);
    this.#egress = addressBuckets(settings, "egressBytesPerSecondPerAddress", "egressBurstPerAddress");
    this.#stopMemory = boundMemory(settings, () => this.participants.values());
    this.#saves = new RoomSaves(settings, () => settings.scheduler.nowMs() + this.clockShiftMs);
    this.rooms = new RoomDirectory(settings, (match) => this.#openMatch(match), this.#saves);
    const { maxSessions, addressSharePercent } = settings.limits;
    this.#shares = new AddressShares(maxSessions, addressSharePercent);
    this.seats = new Seats(settings, this.rooms, this.#shares, this.pauses);
    this.webRtc = new WebRtcAnswerer(settings, this.drops, () => {
      for (const participant of this.participants.values()) participant.sendControl(serverSpeaksWebRtc);
    });
    const { turn, scheduler } = settings;
    this.#stopRenewing = turn && scheduler.every(turn.lifetimeMs / 2, () => this.#renewCredentials());
    this.#stripes = new StripeTickets(scheduler, this.pauses);
  }

  /**
   * Finds or opens a room and keeps a seat in it for the lifetime of the ticket. Asks the room's authority
   * first if there is one. `isGone`: returns true once the client has given up; then nobody gets a seat.
   */
  async match(
    request: MatchRequest,
    caller: Caller,
    isGone: () => boolean = () => false,
  ): Promise<MatchedSeat | MatchRefusal> {
    const wish = (await this.#isSeatOfTab(request)) ? withoutSeat(request) : request;
    const authority = this.#authorityFor(wish);
    if (isGone()) return gaveUp;
    const held = authority
      ? await this.#granted(wish, caller, authority, isGone)
      : this.hold(wish, caller.address);
    return isRefusal(held) ? held : this.seats.issue(held, wish.webrtc);
  }

  /**
   * Returns true if the page's tab has a seat in a room that fits the request. With `ifAway`, also waits a
   * moment for the tab's last page to leave, and returns false if it stays.
   */
  async #isSeatOfTab(request: MatchRequest): Promise<boolean> {
    const { method, target, seat } = request;
    const participant = seat && this.participants.get(seat.session);
    // A participant that has not been admitted has no seat to return to.
    if (!participant?.isIntroduced || !participant.hasToken(seat!.token)) return false;
    const { room } = participant;
    const isAsked = method === "joinById" ? this.rooms.find(target) === room : room.name === target;
    if (!isAsked || method === "create" || this.rooms.seatRefusal(room, request)) return false;
    if (!seat!.ifAway) return true;
    const { scheduler } = this.settings;
    for (let waitedMs = 0; !participant.isAway && waitedMs < FAREWELL_MS; waitedMs += FAREWELL_POLL_MS) {
      await new Promise<void>((resolve) => void scheduler.after(FAREWELL_POLL_MS, resolve));
    }
    return participant.isAway && !participant.isGone;
  }

  /** Keeps a seat without a time limit, until a ticket is issued or the seat is released. */
  hold(request: MatchRequest, address: string, auth?: unknown): HeldSeat | MatchRefusal {
    const isBack = request.method === "reconnect";
    const refusal = this.#refusalForAll(isBack ? 0 : 1, isBack);
    if (refusal) return refusal;
    if (isBack) return this.#holdSuccessor(request, address);
    const room = this.rooms.roomFor(request, address);
    return room instanceof Room ? this.seats.hold(room, request, address, auth) : room;
  }

  /** Keeps a participant's place for a page that has its token, even in a full room. */
  #holdSuccessor(request: MatchRequest, address: string): HeldSeat | MatchRefusal {
    const participant = this.participants.get(request.target);
    if (participant?.hasToken(request.token)) {
      const { room } = participant;
      const refusal = this.rooms.seatRefusal(room, request);
      if (!room.host && !room.hasNumbers(1))
        return full(409, "the room has no number for another page: try again in a minute");
      return refusal ?? this.seats.holdSuccessor(participant, address, request.received);
    }
    return notFound("no such session (any more), or one of another server: join as usual");
  }

  /** Keeps a seat for a player that the room's authority admits. Resolves once the room is open. */
  async #granted(
    request: MatchRequest,
    caller: Caller,
    authority: RoomAuthority,
    isGone: () => boolean,
  ): Promise<HeldSeat | MatchRefusal> {
    const { method, options, authToken = "" } = request;
    const roomName = this.#roomNameOf(request);
    // The authority has admitted a returning player before.
    const grant =
      method === "reconnect"
        ? { auth: undefined, options }
        : await authority.authorize({ method, roomName, options, authToken, caller });
    if (isRefusal(grant)) return grant;
    const identity = "identity" in grant ? grant.identity : undefined;
    // A room may lower its number of places while it opens. Then the next room is tried.
    for (let tries = 0; tries < MAX_ROOMS_TRIED && !isGone(); tries++) {
      const held = this.hold({ ...request, options: grant.options }, caller.address, grant.auth);
      if (isRefusal(held)) return held;
      const failed = await held.room.opening;
      const isFree = !failed && !held.room.exceedsCapacity(held.sessionId);
      if (isFree && !isGone()) return { ...held, identity };
      this.seats.release(held.sessionId);
      if (failed) return failed;
    }
    return isGone() ? gaveUp : full(503, "rooms fill faster than they are opened");
  }

  /** Opens a room for players of another room, as that room's authority requests. */
  async #openMatch(match: MatchedRoom): Promise<readonly MatchedSeat[] | MatchRefusal> {
    return this.#refusalForAll(match.players.length) ?? (await this.seats.openMatch(match));
  }

  /** Gives a link the seat of its ticket, or closes the link with the reason. */
  admit(admitted: AdmittedLink, ticket: string, address = ""): void {
    if (this.isStopping) return admitted.link.close(CloseCode.serverShutdown, "the server is stopping");
    if (admitted.isGone) {
      // A client that has not given up may have another link with this ticket on its way.
      this.settings.scheduler.after(GIVEN_UP_MS, () => this.seats.withdraw(ticket));
      return;
    }
    const redeemed = this.seats.redeem(ticket, address);
    if ("reason" in redeemed) return this.#refuse(admitted, redeemed.code, redeemed.reason);
    this.#claim(redeemed.sessionId, redeemed.webrtc, admitted);
  }

  /** Finds a seat for a link and takes it in one step, or closes the link with the reason. */
  join(admitted: AdmittedLink, request: MatchRequest, caller: Caller): void {
    if (this.isStopping) return admitted.link.close(CloseCode.serverShutdown, "the server is stopping");
    if (admitted.isGone) return;
    const authority = this.#authorityFor(request);
    if (!authority) return this.#enter(admitted, request, this.hold(request, caller.address));
    this.#granted(request, caller, authority, () => admitted.isGone).then(
      (held) => this.#enter(admitted, request, held),
      (error: unknown) => {
        this.settings.faults.report("room", error);
        admitted.link.close(CloseCode.refused, ROOM_FAILED);
      },
    );
  }

  /** Gives a participant one more socket for states, or closes the link with the reason. */
  stripe(admitted: AdmittedLink, ticket: string): void {
    const participant = this.#stripes.take(ticket);
    if (!participant) return this.#refuse(admitted, CloseCode.refused, "not a ticket for one more socket");
    participant.links.addStripe(admitted);
  }

  /**
   * Gives a participant a new link, or closes the link with the reason. A link that the client has given up
   * needs no token.
   */
  resume(admitted: AdmittedLink, sessionId: string, token: string): void {
    if (this.isStopping) return admitted.link.close(CloseCode.serverShutdown, "the server is stopping");
    if (admitted.isGone) return;
    const participant = this.participants.get(sessionId);
    if (!participant) {
      const end = this.#ends.of(sessionId, token);
      if (end) return admitted.link.close(end.code, end.reason);
      return this.#refuse(admitted, CloseCode.sessionUnknown, "the session is not known (any more)");
    }
    if (!participant.isResumable)
      return admitted.link.close(CloseCode.sessionUnknown, "the room was restored: take the seat again");
    if (!participant.acceptsResumeToken(token)) {
      return this.#refuse(admitted, CloseCode.refused, "a token that is wrong, or was used before");
    }
    const { build } = this.settings;
    participant.offer(admitted, () =>
      participant.sendResumeToken((resumeToken) => ({
        type: "resumed",
        resumeToken,
        ...tickOf(participant),
        // The server may have another build than that of the participant's welcome.
        ...(participant.room.isRestored && build !== undefined && { build }),
      })),
    );
  }

  onResumed(participant: Participant): void {
    const { id: sessionId, room } = participant;
    this.settings.log.debug("session resumed", { sessionId, roomId: room.id });
    // TURN credentials may have expired while the participant was away.
    if (this.settings.turn) this.#renewFor(participant);
    this.settings.counters.count("entries", "resumed");
  }

  reports(): RoomReport[] {
    return Array.from(this.rooms.all, (room) => ({
      roomId: room.id,
      roomName: room.name,
      maxPlayers: room.maxPlayers,
      taken: room.taken,
      sessions: Array.from(room.participants, (participant) => participant.report),
    }));
  }

  /** True: only returning players get seats. */
  get isDraining(): boolean {
    return this.isStopping || this.#drainsUntilMs !== undefined;
  }

  /**
   * Stops giving out seats, except to returning players. Sessions go on; clients learn that `timeoutMs` are
   * left.
   */
  drain(timeoutMs: number): void {
    this.#drainsUntilMs = this.settings.scheduler.nowMs() + timeoutMs;
    const message = this.#draining(this.#drainsUntilMs);
    for (const participant of this.participants.values()) {
      if (this.#saves.has(participant.room)) continue;
      if (participant.isIntroduced || !participant.room.host) participant.sendControl(message);
    }
    this.rooms.drain();
  }

  /** Number of participants who lose their room when the server stops. */
  get losingRoom(): number {
    let count = 0;
    for (const { room } of this.participants.values()) if (!this.#saves.has(room)) count += 1;
    return count;
  }

  /**
   * Refuses everybody and ends every session. `endpoint`: the server where clients continue, if not this one.
   */
  stop(endpoint?: string): void {
    // Before anything else, which could change the rooms.
    if (!this.isStopping) this.#saves.saveAll();
    this.isStopping = true;
    this.#stopRenewing?.();
    this.#stopMemory();
    this.pauses.stop();
    this.seats.clear();
    this.rooms.groups.clear();
    for (const participant of this.participants.values()) {
      if (this.#saves.has(participant.room)) {
        participant.move();
        continue;
      }
      if (endpoint !== undefined) participant.sendControl({ type: "moving", endpoint });
      participant.end(CloseCode.serverShutdown, STOPPED);
    }
    for (const room of [...this.rooms.all]) {
      if (this.#saves.has(room)) room.callHost((host) => host.suspend?.());
      // Also rooms that are kept without participants.
      else room.end(CloseCode.serverShutdown, STOPPED);
    }
    this.webRtc.close();
  }

  /** Resolves when the store has the last saves, or after some seconds. */
  saved(): Promise<void> {
    return this.#saves.written();
  }

  /** Goes on with the rooms of an earlier process. Resolves with their number; never rejects. Call it before links open. */
  restore(): Promise<number> {
    return restoreRooms(this.settings, (saved) => this.#restore(saved));
  }

  /** Goes on with a room. Resolves with the reason if that fails. */
  async #restore(saved: SavedRoom): Promise<string | undefined> {
    if (this.rooms.find(saved.place.id)) return "there is a room with this id";
    const sinceMs = Math.max(0, this.settings.wallClockMs() - saved.savedAtMs);
    const { scheduler } = this.settings;
    // The clock that clients know never goes back, also if the wall clock has.
    const aheadMs = saved.clockMs + Math.min(sinceMs, MAX_AWAY_MS) - scheduler.nowMs();
    this.clockShiftMs = Math.max(this.clockShiftMs, aheadMs);
    const seated: Participant[] = [];
    const seat = (room: Room): RestoredRoom | undefined => {
      const { game, states, build, isFinal, seats } = saved;
      for (const each of seats) seated.push(this.#seatAgain(room, each, saved));
      const isOtherBuild = build !== (this.settings.build ?? "");
      return game && { game, states, build, isOtherBuild, isFinal, sinceMs, participants: seated };
    };
    const refusal = await this.rooms.restore(saved, seat);
    if (!refusal) return undefined;
    for (const participant of seated) participant.end(CloseCode.roomClosed, ROOM_FAILED);
    return refusal.message;
  }

  #seatAgain(room: Room, seat: SavedSeat, saved: SavedRoom): Participant {
    const { id, number, webrtc, address, tokens } = seat;
    const isResumable = isExact(saved) && seat.isExact && isSessionOf(saved, number);
    const addressEgress = sharingNetworks(address).length > 0 ? this.#egress.hold(address) : [];
    const identity = { id, number, seat: seat.seat, webrtc, tokens, address, addressEgress };
    const participant = new Participant({ ...identity, room, saved: { seat, isResumable } }, this);
    room.add(participant, seat.isSpectator);
    this.#shares.take(address);
    this.participants.set(id, participant);
    participant.restore(seat);
    return participant;
  }

  /** Returns the refusal for any request at this moment, or undefined if seats are available. */
  #refusalForAll(newcomers: number, isBack = false): MatchRefusal | undefined {
    if (this.isStopping) return full(503, "the server is stopping");
    if (this.isDraining && !isBack) return full(503, "the server takes nobody new");
    const isFull = this.participants.size + this.seats.size + newcomers > this.settings.limits.maxSessions;
    return isFull ? full(503, "the server is full") : undefined;
  }

  #draining(untilMs: number): ServerMessage {
    const restMs = Math.max(0, Math.ceil(untilMs - this.settings.scheduler.nowMs()));
    return { type: "draining", timeoutMs: restMs };
  }

  #refuse(admitted: AdmittedLink, code: number, reason: string): void {
    this.drops.count("credential");
    admitted.link.close(code, reason);
  }

  /** Gives the link the seat that was kept for its request, or closes the link with the refusal. */
  #enter(admitted: AdmittedLink, { method, webrtc }: MatchRequest, held: HeldSeat | MatchRefusal): void {
    const { counters } = this.settings;
    if (admitted.isGone) return isRefusal(held) ? undefined : this.seats.release(held.sessionId);
    if (isRefusal(held)) {
      counters.count("matchRefusals", held.code);
      return refuseMatch(admitted, held);
    }
    counters.count("seats", method);
    this.#claim(held.sessionId, webrtc, admitted);
  }

  #claim(id: string, webrtc: boolean, admitted: AdmittedLink): void {
    const seat = this.seats.get(id);
    if (!seat) return admitted.link.close(CloseCode.serverShutdown, "the server is stopping");
    const { before, room } = seat;
    const wasGone = before?.isGone === true;
    // The room's authority may end the room at this news.
    before?.end(CloseCode.replaced, "taken over by another page");
    if (wasGone || room.isEnded) {
      this.seats.release(id);
      return this.#refuse(admitted, CloseCode.ticketExpired, "the seat is not there any more");
    }
    this.seats.take(id);
    // In a mesh each session has its own number, so that late packets of the old session are not taken for
    // the new one's.
    const number = room.claim(id, room.host && before?.number);
    this.#seat(seat, { id: before?.id ?? id, number, seat: before?.seat ?? number, webrtc }, admitted);
  }

  #authorityFor(request: MatchRequest): RoomAuthority | undefined {
    return this.settings.rooms.get(this.#roomNameOf(request))?.authority;
  }

  #roomNameOf({ method, target }: MatchRequest): string {
    if (method === "reconnect") return this.participants.get(target)?.room.name ?? "";
    if (method === "joinById") return this.rooms.find(target)?.name ?? "";
    return target;
  }

  /** Asks the room's authority to admit a participant, then sends the welcome or ends the participant. */
  async #joinHost(
    participant: Participant,
    host: RoomCallbacks,
    seat: ReservedSeat,
    token: string,
  ): Promise<void> {
    const refusal = await host.join(participant, { ...seat, replaces: seat.before?.id });
    if (participant.isGone) return;
    if (refusal !== undefined) return participant.end(CloseCode.joinRefused, refusal);
    this.#welcome(participant, token, seat);
    participant.introduce();
  }

  #welcome(participant: Participant, token: string, { fullRooms }: ReservedSeat): void {
    const { room, number, id, seat } = participant;
    const all = room.peersOf(participant);
    const peers = all.slice(0, MAX_PEERS_IN_WELCOME);
    const iceServers = this.#iceServersFor(id);
    const { build } = this.settings;
    participant.sendResumeToken((resumeToken) => ({
      type: "welcome",
      ...{ sessionId: id, token, resumeToken, number },
      ...(seat !== number && { seat }),
      ...{ roomId: room.id, roomName: room.name, options: room.separatingOptions, peers, iceServers },
      ...(room.host && { authority: room.host.info }),
      ...tickOf(participant),
      ...(room.isSpectator(participant) && { spectator: true as const }),
      ...(fullRooms > 0 && { fullRooms }),
      ...(build !== undefined && { build }),
      ...(participant.kept && { restored: participant.kept.session.received.command.expected }),
    }));
    participant.sendAll(all.slice(MAX_PEERS_IN_WELCOME).map(joinedPayload));
    if (!room.host) sendSlots(participant);
    if (this.webRtc.isReady) participant.sendControl(serverSpeaksWebRtc);
    if (this.#drainsUntilMs !== undefined && !this.#saves.has(room))
      participant.sendControl(this.#draining(this.#drainsUntilMs));
  }

  #seat(
    seat: ReservedSeat,
    identity: Pick<ParticipantOptions, "id" | "number" | "seat" | "webrtc">,
    admitted: AdmittedLink,
  ): void {
    const { room, address, before } = seat;
    const { id, number } = identity;
    const token = randomId(TOKEN_BYTES);
    const tokens = [...(before?.tokens ?? []), hashOf(token)];
    const addressEgress = sharingNetworks(address).length > 0 ? this.#egress.hold(address) : [];
    const kept = before?.kept;
    const options = { ...identity, tokens, address, addressEgress, room, kept };
    const participant = new Participant(options, this);
    room.add(participant, seat.isSpectator);
    this.participants.set(id, participant);
    participant.attach(admitted);
    this.settings.counters.count("entries", "joined");
    this.settings.log.debug("participant joined", {
      sessionId: id,
      number,
      roomId: room.id,
      roomName: room.name,
    });
    if (kept && seat.received !== undefined) participant.repeat(kept, seat.received);
    if (!room.host) return this.#welcome(participant, token, seat);
    this.#joinHost(participant, room.host, seat, token).catch((error: unknown) => {
      this.settings.faults.report("room", error, { roomId: room.id });
      participant.end(CloseCode.joinRefused, ROOM_FAILED);
    });
  }

  onRouted(participant: Participant, packet: Uint8Array): void {
    // In a room with an authority, players have no sessions with each other.
    if (participant.room.host) return participant.session.drops.count("not-allowed");
    this.#forwarder.forward(participant, packet);
  }

  onMessage(participant: Participant, message: ClientMessage, messageBytes: number): void {
    if (message.type === "leave") return participant.leave();
    if (!participant.meter.admitSignal()) return;
    if (message.type === "visibility") return participant.setPage(message);
    if (message.type === "stripe") return this.#offerStripe(participant);
    if (message.type === "slot") return this.#keepSlot(participant, message);
    if (message.type === "view") return this.#see(participant, message);
    if (message.type === "signal") return this.#signal(participant, message, messageBytes);
    participant.news.setWebrtc(message.webrtc);
  }

  #see(participant: Participant, message: ClientMessage & { type: "view" }): void {
    // An authority decides itself what a player sees.
    if (participant.room.host) return participant.session.drops.count("not-allowed");
    this.#forwarder.view(participant, message);
  }

  #keepSlot({ slots, session }: Participant, message: ClientMessage & { type: "slot" }): void {
    if (!slots.keep(message.stream, message.state)) session.reportViolation("too-long");
  }

  #offerStripe(participant: Participant): void {
    const ticket = this.#stripes.issue(participant);
    if (ticket === undefined) this.drops.count("rate-limit");
    else participant.sendControl({ type: "stripe", ticket });
  }

  #signal(sender: Participant, message: ClientMessage & { type: "signal" }, messageBytes: number): void {
    if (messageBytes > this.settings.limits.signalBytes) return sender.session.reportViolation("too-long");
    if (message.to === SERVER_NUMBER) return this.webRtc.signal(sender, message.attempt, message.data);
    if (sender.room.host) return sender.session.drops.count("not-allowed");
    const receiver = sender.room.participant(message.to);
    if (!receiver || receiver === sender) return this.drops.count("not-routable");
    if (receiver.session.commands.length >= MAX_UNACKNOWLEDGED_SIGNALS) return this.drops.count("queue-full");
    const payload = signalPayload(sender.number, message);
    if (!payload) return sender.session.reportViolation("bad-message");
    receiver.send(payload);
  }

  onGone(participant: Participant, close: LinkClose): Promise<unknown> | undefined {
    const { room, id, number } = participant;
    let farewell: Promise<unknown> | undefined;
    this.#ends.note(id, close, participant.resumeTokens);
    room.remove(participant);
    this.participants.delete(id);
    this.#shares.release(participant.address);
    if (sharingNetworks(participant.address).length > 0) this.#egress.release(participant.address);
    // The returning player keeps the session id and stays in its group.
    if (close.code !== CloseCode.replaced) this.rooms.groups.left(id);
    this.webRtc.forget(participant);
    this.#stripes.forget(participant);
    this.#forwarder.forget(participant);
    room.callHost(() => {
      farewell = participant.callbacks?.left(close);
    });
    if (participant.isIntroduced || !room.host) room.sendToOthers(participant, { type: "left", number });
    this.rooms.disposeIfEmpty(room);
    this.settings.counters.countClose("sessionEnds", close.code);
    this.#logEnd(participant, close);
    return farewell;
  }

  #iceServersFor(sessionId: string): IceServer[] {
    const { iceServers, turn } = this.settings;
    return [...iceServers, ...(turn?.mint(sessionId) ?? [])];
  }

  /**
   * Sends new TURN credentials before the old ones expire. Skips absent participants: they get new ones on
   * their return.
   */
  #renewCredentials(): void {
    for (const participant of this.participants.values()) {
      if (participant.canTake("command")) this.#renewFor(participant);
    }
  }

  #renewFor(participant: Participant): void {
    participant.sendControl({ type: "iceServers", iceServers: this.#iceServersFor(participant.id) });
  }

  #logEnd({ id, room }: Participant, { code, reason }: LinkClose): void {
    const { log } = this.settings;
    const fields = { sessionId: id, roomId: room.id, code, reason };
    if (code < CloseCode.protocolViolation) return log.debug("participant left", fields);
    this.#endings.write(log.warn, "session cut", fields);
  }
}

const STOPPED = "the server is shutting down";
/** Longest time between two processes of a server that its clock counts, ms: the wall clock may be wrong. */
const MAX_AWAY_MS = 24 * 3600 * 1000;

/** Returns true if the authority can go on with the session of this player. A mesh has no authority. */
function isSessionOf({ game }: SavedRoom, number: number): boolean {
  return !game || game.players.some((player) => player.number === number && player.isResumable);
}

/** Messages about the peers that have no place in a welcome. Every newcomer of a large room gets them. */
const joinedPayloads = new WeakMap<PeerInfo, Uint8Array>();

function joinedPayload(peer: PeerInfo): Uint8Array {
  let payload = joinedPayloads.get(peer);
  if (!payload) joinedPayloads.set(peer, (payload = writeControl({ type: "joined", peer })));
  return payload;
}

const serverSpeaksWebRtc: ServerMessage = { type: "capabilities", number: SERVER_NUMBER, webrtc: true };

/** Returns the request as a `reconnect` to the seat of the page's tab. */
function withoutSeat(request: MatchRequest): MatchRequest {
  const { session, token, received } = request.seat!;
  return { ...request, method: "reconnect", target: session, token, received };
}

/**
 * Closes a link with a refusal. The reason begins with the code, since a browser cannot see the HTTP status
 * of a refused upgrade.
 */
export function refuseMatch(admitted: AdmittedLink, { code, message }: MatchRefusal): void {
  admitted.link.close(CloseCode.matchRefused, `${code} ${message}`);
}

/** Returns the current tick of the room's authority; nothing in a mesh. */
function tickOf(participant: Participant): { readonly tick?: number } {
  const { callbacks } = participant;
  return callbacks ? { tick: callbacks.tick >>> 0 } : {};
}

/**
 * Returns the payload of a signal for its receiver. Returns undefined if its data could be decoded but must
 * not be sent (NaN, for example, or too deeply nested).
 */
function signalPayload(
  from: number,
  { attempt, data }: ClientMessage & { type: "signal" },
): Uint8Array | undefined {
  try {
    return writeControl({ type: "signal", from, attempt, data });
  } catch (error) {
    if (error instanceof ConfigError) return undefined;
    throw error;
  }
}
