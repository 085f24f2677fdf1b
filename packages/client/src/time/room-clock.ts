import { SessionClock } from "@paceline/netcode";
import type { Cancel, PongTimes, Scheduler } from "@paceline/transport";

interface RoomClockOptions {
  readonly scheduler: Scheduler;
  /** Asks the server for its time. */
  ping(): void;
  /** The authority's tick at which its entities are shown now; 0 where there is none. */
  readonly shownTick?: () => number;
}

/**
 * The times of a room, in ms: this machine's, the server's as estimated from pings, and the server's time at which
 * interpolated entities are shown. None ever runs backwards. Before the first pong the server's time is the local one.
 */
export class RoomClock {
  readonly #options: RoomClockOptions;
  #session = new SessionClock(0);
  #cancel: Cancel | undefined;

  /** @internal */
  constructor(options: RoomClockOptions) {
    this.#options = options;
  }

  /** This machine's monotonic clock. */
  now(): number {
    return this.#options.scheduler.nowMs();
  }

  /** The server's time now. */
  serverNow(): number {
    return this.#session.serverNow(this.now());
  }

  /** The server's time that is shown: behind {@link serverNow} by the profile's delay where it interpolates. */
  renderNow(): number {
    return this.#session.renderNow(this.now());
  }

  /**
   * The authority's tick at which its entities are shown now, with a fraction: what a game sends along with a shot, for
   * `rewind` on the server. 0 in a room without an authority.
   */
  get shownTick(): number {
    return this.#options.shownTick?.() ?? 0;
  }

  /** Standard error of {@link serverNow}, ms; Infinity before the first pong. */
  get errorMs(): number {
    return this.#session.estimate.errorMs;
  }

  /** @internal Begins to ask: often until the estimate is good, then now and then. */
  start(): void {
    this.stop();
    this.#cancel = this.#options.scheduler.after(this.#session.estimate.pingIntervalMs, () => this.start());
    this.#options.ping();
  }

  /** @internal */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** @internal Another server, or the same one with another clock. */
  restart(): void {
    const { renderDelayMs } = this.#session;
    this.#session = new SessionClock(renderDelayMs);
  }

  /** @internal */
  setRenderDelay(delayMs: number): void {
    this.#session.renderDelayMs = delayMs;
  }

  /** @internal */
  observe({ sentMs, remoteMs, receivedMs }: PongTimes): void {
    const { estimate } = this.#session;
    // Where the server's clock has jumped, averages of pings would follow it for minutes only.
    estimate.observeStamp(remoteMs + (receivedMs - sentMs) / 2, receivedMs);
    estimate.observePing({ sentMs, remoteReceivedMs: remoteMs, remoteSentMs: remoteMs, receivedMs });
  }
}
