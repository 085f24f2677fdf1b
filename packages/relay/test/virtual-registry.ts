import { type MatchRefusal, type MatchedSeat } from "@paceline/protocol";
import { MemoryLink, VirtualScheduler, type Pipe } from "@paceline/testkit";
import type { Scheduler } from "@paceline/transport";
import { AdmittedLink } from "../src/admission/admitted-link.js";
import { SessionRegistry } from "../src/session-registry.js";
import { isRefusal, type MatchRequest } from "../src/matchmaking/match-request.js";
import { relaySettings, type RelayOptions, type RelaySettings } from "../src/options/relay-options.js";
import { Player } from "./player.js";

const DELAY_MS = 5;

/** A pipe that may stall. A stalled pipe keeps its packets, as a socket whose other side does not read. */
export class StallingPipe implements Pipe {
  readonly #deliver: (packet: Uint8Array) => void;
  readonly #held: Uint8Array[] = [];
  #isStalled = false;

  constructor(deliver: (packet: Uint8Array) => void) {
    this.#deliver = deliver;
  }

  get queuedBytes(): number {
    return this.#held.reduce((sum, packet) => sum + packet.length, 0);
  }

  send(packet: Uint8Array): void {
    if (this.#isStalled) this.#held.push(packet);
    else this.#deliver(packet);
  }

  stall(): void {
    this.#isStalled = true;
  }

  flow(): void {
    this.#isStalled = false;
    for (const packet of this.#held.splice(0)) this.#deliver(packet);
  }
}

/** The relay's end of a socket: the other side's packets wait while it is not read. */
export class PausableLink extends MemoryLink {
  /** Packets that wait; undefined while the link is read. */
  unread: Uint8Array[] | undefined;

  override received(packet: Uint8Array, ...rest: []): void {
    if (this.unread) this.unread.push(packet);
    else super.received(packet, ...rest);
  }

  pauseReading(): void {
    this.unread ??= [];
  }

  resumeReading(): void {
    const unread = this.unread ?? [];
    this.unread = undefined;
    while (!this.unread && unread.length > 0) super.received(unread.shift()!);
    if (this.unread) this.unread = unread;
  }
}

export interface VirtualLink {
  readonly player: MemoryLink;
  readonly relay: PausableLink | MemoryLink;
  readonly downward: StallingPipe;
}

/** A session registry without HTTP and sockets, under a virtual clock. */
export class VirtualRegistry {
  readonly scheduler = new VirtualScheduler();
  readonly settings: RelaySettings;
  readonly registry: SessionRegistry;

  constructor(options: Partial<RelayOptions> = {}) {
    const { scheduler } = this;
    const rooms = { race: { maxPlayers: 4 } };
    this.settings = relaySettings({ rooms, scheduler, wallClockMs: () => scheduler.nowMs(), ...options });
    this.registry = new SessionRegistry(this.settings);
  }

  seat(request: Partial<MatchRequest> = {}, address = ""): MatchedSeat {
    const seat = this.reserve(request, address);
    if (isRefusal(seat)) throw new Error(seat.message);
    return seat;
  }

  reserve(request: Partial<MatchRequest> = {}, address = ""): MatchedSeat | MatchRefusal {
    const plain = { method: "joinOrCreate", target: "race", options: {}, webrtc: true, token: "" } as const;
    const held = this.registry.hold({ ...plain, ...request }, address);
    return isRefusal(held) ? held : this.registry.seats.issue(held, request.webrtc ?? plain.webrtc);
  }

  /** Joins a player with a seat and a link, and waits for its welcome. */
  join(
    request: Partial<MatchRequest> = {},
    address = "",
    link = this.link(),
  ): { player: Player; link: VirtualLink; seat: MatchedSeat } {
    const seat = this.seat(request, address);
    const player = new Player(this.scheduler);
    this.registry.admit(new AdmittedLink(link.relay), seat.ticket, address);
    player.attach(link.player);
    this.scheduler.advance(100);
    return { player, link, seat };
  }

  resume(player: Player, token = player.resumeToken): VirtualLink {
    const link = this.link();
    this.registry.resume(new AdmittedLink(link.relay), player.welcome.sessionId, token);
    player.attach(link.player);
    this.scheduler.advance(100);
    return link;
  }

  refusalOf(ticket: string): number | undefined {
    return this.#closeOf((link) => this.registry.admit(link, ticket));
  }

  resumeRefusalOf(sessionId: string, token: string): number | undefined {
    return this.#closeOf((link) => this.registry.resume(link, sessionId, token));
  }

  #closeOf(enter: (link: AdmittedLink) => void): number | undefined {
    const link = this.link();
    const player = new Player(this.scheduler);
    player.attach(link.player);
    enter(new AdmittedLink(link.relay));
    this.scheduler.advance(100);
    return player.closes[0]?.code;
  }

  /**
   * @param opensAfterMs delay until the relay's end reports that it is open
   * @param isPausable false: the relay cannot pause the reading, as with WebRTC
   */
  link(opensAfterMs = 0, isPausable = true): VirtualLink {
    const { scheduler } = this;
    const slow: Scheduler = {
      nowMs: () => scheduler.nowMs(),
      after: (delayMs, fn) => scheduler.after(delayMs + opensAfterMs, fn),
      every: (periodMs, fn) => scheduler.every(periodMs, fn),
    };
    const later = (fn: () => void): void => void scheduler.after(DELAY_MS, fn);
    const upward: Pipe = {
      queuedBytes: 0,
      send: (packet) => {
        const copy = packet.slice();
        later(() => relay.received(copy));
      },
    };
    const downward = new StallingPipe((packet) => {
      const copy = packet.slice();
      later(() => player.received(copy));
    });
    const player = new MemoryLink({ scheduler, reliable: upward, unreliable: upward });
    const options = { scheduler: slow, reliable: downward, unreliable: downward };
    const relay = isPausable ? new PausableLink(options) : new MemoryLink(options);
    player.onLocalClose((code, reason) => later(() => relay.closeFromRemote(code, reason)));
    relay.onLocalClose((code, reason) => later(() => player.closeFromRemote(code, reason)));
    return { player, relay, downward };
  }
}
