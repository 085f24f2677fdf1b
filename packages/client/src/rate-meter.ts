import type { Link } from "@paceline/transport";

/** What goes between this participant and a peer, per second. */
export interface PeerRates {
  readonly bytesInPerSecond: number;
  readonly bytesOutPerSecond: number;
  readonly updatesInPerSecond: number;
  readonly updatesOutPerSecond: number;
}

interface Totals {
  bytesIn: number;
  bytesOut: number;
  updatesIn: number;
  updatesOut: number;
}

/** Turns the counters of a peer's links into rates; sampled about once a second. */
export class RateMeter {
  readonly #seen = new WeakMap<Link, { bytesIn: number; bytesOut: number }>();
  readonly #window: Totals = { bytesIn: 0, bytesOut: 0, updatesIn: 0, updatesOut: 0 };
  #sampledAtMs: number;
  #rates: PeerRates = {
    bytesInPerSecond: 0,
    bytesOutPerSecond: 0,
    updatesInPerSecond: 0,
    updatesOutPerSecond: 0,
  };

  constructor(nowMs: number) {
    this.#sampledAtMs = nowMs;
  }

  get rates(): PeerRates {
    return this.#rates;
  }

  countUpdateIn(): void {
    this.#window.updatesIn += 1;
  }

  countUpdatesOut(count: number): void {
    this.#window.updatesOut += count;
  }

  /** Takes what a link has carried since it was looked at last. */
  take(link: Link): void {
    const { bytesReceived: bytesIn, bytesSent: bytesOut } = link.counters;
    const before = this.#seen.get(link) ?? { bytesIn: 0, bytesOut: 0 };
    this.#window.bytesIn += bytesIn - before.bytesIn;
    this.#window.bytesOut += bytesOut - before.bytesOut;
    this.#seen.set(link, { bytesIn, bytesOut });
  }

  /** Ends the window of measurement. */
  sample(nowMs: number): void {
    const seconds = (nowMs - this.#sampledAtMs) / 1000;
    if (seconds <= 0) return;
    const { bytesIn, bytesOut, updatesIn, updatesOut } = this.#window;
    this.#rates = {
      bytesInPerSecond: bytesIn / seconds,
      bytesOutPerSecond: bytesOut / seconds,
      updatesInPerSecond: updatesIn / seconds,
      updatesOutPerSecond: updatesOut / seconds,
    };
    this.#sampledAtMs = nowMs;
    Object.assign(this.#window, { bytesIn: 0, bytesOut: 0, updatesIn: 0, updatesOut: 0 });
  }
}
