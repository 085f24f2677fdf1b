import { CloseCode, type TrafficClassName } from "@paceline/protocol";
import {
  PathLink,
  StripeFilter,
  type Link,
  type LinkMonitorOptions,
  type Scheduler,
  type Session,
} from "@paceline/transport";
import type { AdmittedLink } from "../admission/admitted-link.js";
import { MAX_STRIPES } from "../admission/stripe-tickets.js";
import type { ReadingPause } from "./reading-pause.js";

/** Frames that wait for one link. */
export interface HeldFrames {
  readonly link: AdmittedLink;
  /** Places in the window, in pairs: the first, and the one after the last. */
  places: number[];
  isListed: boolean;
  isPrompt: boolean;
}

export interface ParticipantLinksOptions {
  readonly session: Session;
  readonly scheduler: Scheduler;
  readonly linkTimeoutMs: number;
  readonly reading: ReadingPause;
  /** Meters the packets of a link, and takes its faults. */
  readonly guard: (link: AdmittedLink) => void;
}

/** Time for a link to open, and for the first packet of a client that returns, ms. */
export const LINK_CONNECT_TIMEOUT_MS = 5000;
const HEARTBEAT_MS = 1000;
/** Clients ping by themselves, so the relay measures less often. */
const MEASURE_MS = 4000;
/**
 * A socket that holds this many unsent bytes has no room. It is more than one packet, so that many small
 * packets for a receiver do not wait for the next poll of its queue.
 */
const HIGH_WATER_BYTES = 16_384;

/** The links of one participant: that which it uses, those that it may use next, and further ones beside it. */
export class ParticipantLinks {
  /** Network address of the newest link. */
  address = "";
  readonly #options: ParticipantLinksOptions;
  readonly #used = new Set<Link>();
  /** Links for this session over which the client has sent nothing yet, oldest first. */
  readonly #offered = new Set<Link>();
  #newest: Link | undefined;
  #stripes: StripeFilter | undefined;
  #held: HeldFrames | undefined;

  constructor(options: ParticipantLinksOptions) {
    this.#options = options;
  }

  /** Takes the session's first link. `onFirst` is called at its first packet. */
  attach(first: AdmittedLink, onFirst: () => void): void {
    this.#take(first);
    first.onFirst = onFirst;
    this.#start(first);
  }

  /**
   * Takes a link of a client that returns. At its first packet the link replaces the others, and `onUsed` is
   * called. A client that does not get through opens one link after the other, and may have given this one up
   * before the server could see it.
   */
  offer(next: AdmittedLink, onUsed: () => void): void {
    this.#offered.add(next.link);
    next.onFirst = () => this.#use(next, onUsed);
    this.#start(next);
  }

  /** Returns true if the client has sent nothing over this link yet. */
  isOffered(link: Link): boolean {
    return this.#offered.has(link);
  }

  /** Forgets a link that is down. Returns true if the client has used it, or one beside it, and uses no other. */
  down(link: Link): boolean {
    if (this.#offered.delete(link)) return false;
    this.#used.delete(link);
    return this.#used.size === 0;
  }

  /** Takes no offered link any more, since the participant has ended. */
  stop(): void {
    this.#offered.clear();
  }

  /**
   * Adds a socket for this participant's states. Closes it if the participant has enough, or has no open
   * link.
   */
  addStripe(stripe: AdmittedLink): void {
    const first = this.#newest;
    if (
      !(first instanceof PathLink) ||
      first.state !== "open" ||
      (this.#stripes?.count ?? 0) >= MAX_STRIPES
    ) {
      return stripe.link.close(CloseCode.refused, "no more sockets for this session");
    }
    const { guard, scheduler } = this.#options;
    guard(stripe);
    this.#stripes ??= new StripeFilter({ scheduler, first, highWaterBytes: HIGH_WATER_BYTES });
    this.#stripes.add(stripe.link);
  }

  /** Adds a link that carries a part of the traffic, besides the participant's first link. */
  attachBeside(beside: AdmittedLink, options: LinkMonitorOptions): void {
    this.#options.guard(beside);
    this.#options.session.attach(beside.link, options);
  }

  /**
   * Returns the frames that wait for the link of this class; undefined if the class does not use one socket
   * only.
   */
  heldFrames(trafficClass: TrafficClassName): HeldFrames | undefined {
    const newest = this.#newest;
    if (!newest || this.#options.session.linkFor(trafficClass) !== newest) return undefined;
    const alternates = (trafficClass === "state" || trafficClass === "input") && (newest.width ?? 1) > 1;
    return alternates ? undefined : this.#held;
  }

  /**
   * Returns true if waiting frames may leave at once: the link has room, and the session queues nothing for
   * it.
   */
  takesAtOnce(held: HeldFrames): boolean {
    const { session } = this.#options;
    const isOpen = held.link.link.state === "open" && this.heldFrames("command") === held;
    return isOpen && held.link.link.hasRoom("command") && session.queuedBytes === session.linkBytes;
  }

  /**
   * The link that brings all states in the order of sending; undefined if states may be lost or overtake each
   * other.
   */
  get inOrder(): Link | undefined {
    const newest = this.#newest;
    const isInOrder = newest?.isUnreliable === false && (newest.width ?? 1) === 1;
    return isInOrder && this.#options.session.linkFor("state") === newest ? newest : undefined;
  }

  /** Replaces all older links by this one. */
  #use(next: AdmittedLink, onUsed: () => void): void {
    if (!this.#offered.has(next.link)) return;
    const older = [...this.#used];
    for (const offered of this.#offered) {
      this.#offered.delete(offered);
      if (offered === next.link) break;
      older.push(offered);
    }
    this.#take(next);
    for (const old of older) old.close(CloseCode.replaced, "a newer link of this session took over");
    this.#options.session.reconsider("a newer link of this session took over");
    onUsed();
  }

  #take(first: AdmittedLink): void {
    this.address = first.address;
    this.#options.reading.use(first);
    const { link } = first;
    this.#newest = link;
    this.#stripes = undefined;
    this.#held = first.takesFrames
      ? { link: first, places: [], isListed: false, isPrompt: false }
      : undefined;
    this.#used.add(link);
  }

  #start(first: AdmittedLink): void {
    const { guard, session, linkTimeoutMs: timeoutMs } = this.#options;
    guard(first);
    session.attach(first.link, {
      preference: 1,
      needsProof: false,
      connectTimeoutMs: LINK_CONNECT_TIMEOUT_MS,
      timeoutMs,
      heartbeatMs: HEARTBEAT_MS,
      measureMs: MEASURE_MS,
    });
  }
}
