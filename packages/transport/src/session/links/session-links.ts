import { CloseCode } from "@paceline/protocol";
import type { Link, LinkClose } from "../../link.js";
import type { Scheduler } from "../../scheduler.js";
import type { PathReading } from "../../path-choice.js";
import { OwnLateness } from "./own-lateness.js";
import { LinkMonitor, type LinkMonitorOptions } from "./link-monitor.js";

export interface SessionLinksOptions {
  readonly scheduler: Scheduler;
  readonly onPacket: (packet: Uint8Array, link: Link) => void;
  /** Sends a ping over that link, and calls `pinged` of its monitor. */
  ping(monitor: LinkMonitor): void;
  /** Returns true while states take long: then their link is measured often. */
  isSlow(nowMs: number): boolean;
  /** Called when another link carries the traffic. */
  onActive(link: Link | undefined, reason: string): void;
  /** Called when a link has sent some of its queued bytes. */
  onRoom(): void;
  /** Called when another link carries the traffic that may be lost. */
  onUnreliable(link: Link | undefined): void;
  onDown(link: Link, close: LinkClose, isLast: boolean): void;
  onSilence(link: Link, isSilent: boolean): void;
}

/** The links of one session. Chooses the best usable one, and gives up dead ones. */
export class SessionLinks {
  readonly #options: SessionLinksOptions;
  readonly #monitors: LinkMonitor[] = [];
  readonly #lateness: OwnLateness;
  #active: LinkMonitor | undefined;
  #unreliable: LinkMonitor | undefined;
  #minTimeoutMs = 0;

  constructor(options: SessionLinksOptions) {
    this.#options = options;
    this.#lateness = new OwnLateness(Infinity, options.scheduler.nowMs());
  }

  /** The monitor of the link that carries the traffic. */
  get active(): LinkMonitor | undefined {
    return this.#active;
  }

  /** The monitor of the link that carries the traffic that may be lost. Mostly it is the active one. */
  get unreliable(): LinkMonitor | undefined {
    return this.#unreliable;
  }

  get all(): Iterable<Link> {
    return this.#monitors.map(({ link }) => link);
  }

  /** Least timeout of all links, ms. A link's own timeout counts if it is longer. */
  set minTimeoutMs(timeoutMs: number) {
    this.#minTimeoutMs = timeoutMs;
  }

  /**
   * Returns the monitor of a link of this session. Undefined if the link has ended or belongs to another
   * session.
   */
  monitorOf(link: Link | undefined): LinkMonitor | undefined {
    for (const monitor of this.#monitors) if (monitor.link === link) return monitor;
    return undefined;
  }

  readingOf(link: Link | undefined): PathReading | undefined {
    return this.monitorOf(link)?.reading;
  }

  /** Returns true if this page's own loop was late in that time, so that silence proves nothing. */
  wasLoopLate(sinceMs: number, nowMs: number): boolean {
    return this.#lateness.wasLate(sinceMs, nowMs);
  }

  attach(link: Link, options: LinkMonitorOptions): void {
    const monitor = new LinkMonitor(link, options, this.#options.scheduler.nowMs());
    this.#monitors.push(monitor);
    link.start({
      onOpen: () => this.#opened(monitor),
      onPacket: this.#options.onPacket,
      onClose: (close) => this.#down(monitor, close),
      onRoom: () => this.#options.onRoom(),
    });
  }

  /** Called when a packet has come over a link. Undefined if the link has ended. */
  heard(monitor: LinkMonitor | undefined, nowMs: number): void {
    if (monitor?.heard(nowMs)) this.choose("link heard");
  }

  /** Moves the traffic to the best usable link. */
  choose(reason: string): void {
    const unreliable = bestOf(this.#monitors);
    const best =
      bestOf(this.#monitors.filter(({ options }) => options.carries !== "unreliable")) ?? unreliable;
    const [hasMoved, hasUnreliableMoved] = [best !== this.#active, unreliable !== this.#unreliable];
    this.#active = best;
    this.#unreliable = unreliable;
    if (hasMoved) {
      best?.taken();
      this.#options.onActive(best?.link, reason);
    }
    if (hasUnreliableMoved && this.#unreliable === unreliable) this.#options.onUnreliable(unreliable?.link);
  }

  /** Returns true if {@link update} would do nothing for now. */
  isQuiet(nowMs: number): boolean {
    return this.#monitors.every((monitor) => monitor.isQuiet(nowMs));
  }

  /** Returns true if {@link update} would find nothing within `forMs` on links that go on to work. */
  isSteady(nowMs: number, forMs: number): boolean {
    return this.#monitors.every((monitor) => monitor.isSteady(nowMs, forMs));
  }

  /** Called when the calls of {@link update} start again, or get another period. */
  restart(nowMs: number, periodMs: number): void {
    this.#lateness.restart(nowMs, periodMs);
  }

  /** Gives up dead links, and sends due pings. */
  update(nowMs: number): void {
    const lateMs = this.#lateness.tick(nowMs);
    if (lateMs > 0) for (const monitor of this.#monitors) monitor.stalled(lateMs, nowMs);
    for (const monitor of this.#monitors.slice()) {
      const failure = monitor.failure(nowMs, this.#minTimeoutMs, this.#monitors);
      if (failure === undefined) {
        this.#pingIfDue(monitor, nowMs);
        const isSilent = monitor.silenceNews(nowMs);
        if (isSilent !== undefined) this.#options.onSilence(monitor.link, isSilent);
      } else {
        monitor.link.close(CloseCode.timeout, failure);
        this.#down(monitor, { code: CloseCode.timeout, reason: failure });
      }
    }
  }

  /** Closes all links. None is reported any more. */
  end(close: LinkClose): void {
    for (const { link } of this.release()) link.close(close.code, close.reason);
  }

  /** Forgets all links without closing them. None is reported any more. */
  release(): readonly LinkMonitor[] {
    this.#active = undefined;
    this.#unreliable = undefined;
    return this.#monitors.splice(0);
  }

  #opened(monitor: LinkMonitor): void {
    const nowMs = this.#options.scheduler.nowMs();
    monitor.opened(nowMs);
    this.choose("link opened");
    this.#pingIfDue(monitor, nowMs);
  }

  #down(monitor: LinkMonitor, close: LinkClose): void {
    const index = this.#monitors.indexOf(monitor);
    if (index < 0) return;
    this.#monitors.splice(index, 1);
    this.#options.onDown(monitor.link, close, bestOf(this.#monitors) === undefined);
    // The owner may have ended the session in `onDown`, or changed the links.
    this.choose(`${monitor.link.kind} link down: ${close.reason || `code ${close.code}`}`);
  }

  #pingIfDue(monitor: LinkMonitor, nowMs: number): void {
    const isActive = monitor === this.#active || monitor === this.#unreliable;
    const isWitness = this.#monitors.some((silent) => silent.shouldAsk(monitor, nowMs));
    const isOwn = monitor === this.#unreliable && monitor.link.kind !== "relayed";
    if (isOwn && this.#options.isSlow(nowMs)) monitor.hurry();
    if (isWitness || monitor.isPingDue(nowMs, isActive)) this.#options.ping(monitor);
  }
}

function bestOf(monitors: readonly LinkMonitor[]): LinkMonitor | undefined {
  let best: LinkMonitor | undefined;
  for (const monitor of monitors) {
    if (monitor.isUsable && (!best || monitor.isBetterThan(best))) best = monitor;
  }
  return best;
}
