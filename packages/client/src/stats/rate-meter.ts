import type { Link } from "@paceline/transport";

/** Traffic between this participant and a peer, per second. */
export interface PeerRates {
  readonly bytesInPerSecond: number;
  readonly bytesOutPerSecond: number;
  /** Each packet has headers in addition to these bytes. */
  readonly packetsOutPerSecond: number;
  readonly updatesInPerSecond: number;
  readonly updatesOutPerSecond: number;
}

interface Totals {
  bytesIn: number;
  bytesOut: number;
  packetsOut: number;
  updatesIn: number;
  updatesOut: number;
}

/** Turns the counters of a peer's links into rates. The owner samples it about once a second. */
export class RateMeter {
  readonly #seen = new WeakMap<Link, Pick<Totals, "bytesIn" | "bytesOut" | "packetsOut">>();
  readonly #window: Totals = newTotals();
  #sampledAtMs: number;
  rates = ratesOf(newTotals(), 1);

  constructor(nowMs: number) {
    this.#sampledAtMs = nowMs;
  }

  countUpdatesIn(count: number): void {
    this.#window.updatesIn += count;
  }

  countUpdatesOut(count: number): void {
    this.#window.updatesOut += count;
  }

  /** Adds the traffic of a link since the last call with it. */
  take(link: Link): void {
    const { bytesReceived: bytesIn, bytesSent: bytesOut, packetsSent: packetsOut } = link.counters;
    const before = this.#seen.get(link) ?? newTotals();
    this.#window.bytesIn += bytesIn - before.bytesIn;
    this.#window.bytesOut += bytesOut - before.bytesOut;
    this.#window.packetsOut += packetsOut - before.packetsOut;
    this.#seen.set(link, { bytesIn, bytesOut, packetsOut });
  }

  /** Ends the window of measurement, and computes its rates. */
  sample(nowMs: number): void {
    const seconds = (nowMs - this.#sampledAtMs) / 1000;
    if (seconds <= 0) return;
    this.rates = ratesOf(this.#window, seconds);
    this.#sampledAtMs = nowMs;
    Object.assign(this.#window, newTotals());
  }
}

function newTotals(): Totals {
  return { bytesIn: 0, bytesOut: 0, packetsOut: 0, updatesIn: 0, updatesOut: 0 };
}

function ratesOf(
  { bytesIn, bytesOut, packetsOut, updatesIn, updatesOut }: Totals,
  seconds: number,
): PeerRates {
  return {
    bytesInPerSecond: bytesIn / seconds,
    bytesOutPerSecond: bytesOut / seconds,
    packetsOutPerSecond: packetsOut / seconds,
    updatesInPerSecond: updatesIn / seconds,
    updatesOutPerSecond: updatesOut / seconds,
  };
}
