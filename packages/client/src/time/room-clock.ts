import { SessionClock } from "@paceline/netcode";
import type { Cancel, PongTimes, Scheduler } from "@paceline/transport";

interface RoomClockOptions {
  readonly scheduler: Scheduler;
  ping(): void;
  readonly shownTick?: () => number;
}

/**
 * Times of a room, in ms: the time of this machine, the server's time as estimated from pings, and the
 * server's time at which interpolated entities are shown. None of them runs backwards. Before the first pong,
 * the server's time is the local one.
 */
export class RoomClock {
  readonly #options: RoomClockOptions;
  #session = new SessionClock(0);
  #cancel: Cancel | undefined;

  /** @internal */
  constructor(options: RoomClockOptions) {
    this.#options = options;
  }

  /** Returns the time of this machine's monotonic clock. */
  now(): number {
    return this.#options.scheduler.nowMs();
  }

  /** Returns the server's time now. */
  serverNow(): number {
    return this.#session.serverNow(this.now());
  }

  /**
   * Returns the server's time at which entities are shown: {@link serverNow} minus the interpolation delay,
   * if any.
   */
  renderNow(): number {
    return this.#session.renderNow(this.now());
  }

  /**
   * The authority's tick at which its entities are shown now, with a fraction. A game sends it with a shot,
   * for `rewind` on the server. 0 in a room without an authority. It goes back only if the estimate of the
   * authority's time was wrong: by more than a second, or by 250 ms if no entity is interpolated.
   */
  get shownTick(): number {
    return this.#options.shownTick?.() ?? 0;
  }

  /** Standard error of {@link serverNow}, ms; Infinity before the first pong. */
  get errorMs(): number {
    return this.#session.estimate.errorMs;
  }

  /** @internal Starts to ping the server: often until the estimate is good, then at long intervals. */
  start(): void {
    this.stop();
    const { pingIntervalMs } = this.#session.estimate;
    const next = (): void => {
      if (this.#session.estimate.pingIntervalMs === pingIntervalMs) this.#options.ping();
      else this.start();
    };
    // Pings share no wake-up with inputs, which leave in step with the authority's ticks: see `ClockEstimate`.
    this.#cancel = this.#options.scheduler.every(pingIntervalMs, next);
    this.#options.ping();
  }

  /** @internal */
  stop(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  /** @internal Forgets the estimate: the server or its clock has changed. */
  restart(): void {
    const { renderDelayMs } = this.#session;
    this.#session = new SessionClock(renderDelayMs);
  }

  /** @internal The server's time minus the local one, ms; undefined before the first pong. */
  get offsetMs(): number | undefined {
    const nowMs = this.now();
    return this.#session.estimate.isReady ? this.#session.serverNow(nowMs) - nowMs : undefined;
  }

  /** @internal */
  setRenderDelay(delayMs: number): void {
    this.#session.renderDelayMs = delayMs;
  }

  /** @internal */
  observe({ sentMs, remoteMs, receivedMs }: PongTimes): void {
    const { estimate } = this.#session;
    // After a jump of the server's clock, averages of pings alone would need minutes to follow.
    estimate.observeStamp(remoteMs + (receivedMs - sentMs) / 2, receivedMs);
    estimate.observePing({ sentMs, remoteReceivedMs: remoteMs, remoteSentMs: remoteMs, receivedMs });
  }
}
