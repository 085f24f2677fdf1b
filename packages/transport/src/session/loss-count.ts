/** Measured loss of a link. */
export interface LossReading {
  /** Share of packets that did not arrive, 0 to 1. */
  readonly ratio: number;
  /** Bounds of the true share at 95 % confidence (Wilson's interval). */
  readonly low: number;
  readonly high: number;
  /** Number of packets in the measurement. */
  readonly packets: number;
}

/** Counts of one second. */
export interface LossWindow {
  arrived: number;
  lost: number;
}

/** Windows in a reading: at one a second, the last 20 s. */
const WINDOWS = 20;
/** Newest windows that do not count yet, because packets after a lost segment may still arrive. */
const SETTLING_WINDOWS = 3;
const MIN_PACKETS = 10;
/** Longest gap that counts as lost. After a longer one the sender began elsewhere. */
export const MAX_GAP = 4096;
const Z95 = 1.96;

/**
 * Counts arrived and lost packets of the last seconds, from one or several numberings. A packet belongs to
 * the window in which it arrived or was missed. Has no clock of its own.
 */
export class LossCount {
  #windows: LossWindow[] = [];

  constructor() {
    this.clear();
  }

  /**
   * The measured loss. Undefined if too few packets arrived lately, or none: then it is unknown if any were
   * sent.
   */
  get reading(): LossReading | undefined {
    let [arrived, lost] = [0, 0];
    for (const window of this.#windows.slice(0, -SETTLING_WINDOWS)) {
      arrived += window.arrived;
      lost += window.lost;
    }
    // Packets that arrived late were counted as lost in an earlier window, which may have left the reading.
    lost = Math.max(0, lost);
    const packets = arrived + lost;
    return packets < MIN_PACKETS || arrived === 0 ? undefined : wilson(lost, packets);
  }

  /** The present window. It counts later, when it has ended and its packets have had time to arrive. */
  get window(): LossWindow {
    return this.#windows.at(-1)!;
  }

  endWindow(): void {
    // Skips empty windows before the first packet: most sessions have no link that loses packets.
    if (!this.#windows[1] && this.window.arrived + this.window.lost === 0) return;
    this.#windows.push({ arrived: 0, lost: 0 });
    if (this.#windows.length > WINDOWS + SETTLING_WINDOWS) this.#windows.shift();
  }

  /** Forgets all counts, because another link carries the packets. */
  clear(): void {
    this.#windows = [{ arrived: 0, lost: 0 }];
  }
}

function wilson(lost: number, packets: number): LossReading {
  const ratio = lost / packets;
  const spread = Z95 ** 2 / packets;
  const middle = (ratio + spread / 2) / (1 + spread);
  const half = (Z95 / (1 + spread)) * Math.sqrt((ratio * (1 - ratio)) / packets + spread / (4 * packets));
  return { ratio, low: Math.max(0, middle - half), high: Math.min(1, middle + half), packets };
}
