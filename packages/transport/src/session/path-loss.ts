import { SEQUENCE_MODULUS } from "@paceline/protocol";

/** What was measured of a link that loses packets. */
export interface LossReading {
  /** Share of packets that did not arrive, 0 to 1. */
  readonly ratio: number;
  /** Between these it lies with 95 % of certainty (Wilson's interval). */
  readonly low: number;
  readonly high: number;
  /** Packets that this is measured from. */
  readonly packets: number;
}

interface Window {
  sent: number;
  lost: number;
}

/** Windows that count: at one a second, the last 20 s. */
const WINDOWS = 20;
const LEAST_PACKETS = 10;
const Z95 = 1.96;

/**
 * Finds from the sequence of a session's packets how many get lost on its unreliable link. Packets of its ordered link
 * have numbers of the same sequence and all arrive, so they count as no trial. Pure.
 */
export class PathLoss {
  readonly #windows: Window[] = [{ sent: 0, lost: 0 }];
  #highest: number | undefined;

  /** Undefined while too few packets came over an unreliable link lately. */
  get reading(): LossReading | undefined {
    const sum = { sent: 0, lost: 0 };
    for (const { sent, lost } of this.#windows) {
      sum.sent += sent;
      sum.lost += lost;
    }
    // Without an arrival over the unreliable link this side cannot know whether anything was sent there.
    if (sum.sent < LEAST_PACKETS || sum.lost >= sum.sent) return undefined;
    return wilson(Math.max(0, sum.lost), sum.sent);
  }

  /** Call once for every packet that is no duplicate. */
  receive(sequence: number, isReliable: boolean): void {
    const window = this.#windows.at(-1)!;
    const ahead = this.#highest === undefined ? 1 : (sequence - this.#highest) & (SEQUENCE_MODULUS - 1);
    const isNewest = ahead > 0 && ahead < SEQUENCE_MODULUS / 2;
    if (isNewest) this.#highest = sequence;
    // Those in between are missing, until they come after all; then they were never lost.
    const missing = isNewest ? ahead - 1 : -1;
    window.lost += missing;
    window.sent += missing + (isReliable ? 0 : 1);
  }

  /** Ends a window of measurement. */
  endWindow(): void {
    this.#windows.push({ sent: 0, lost: 0 });
    if (this.#windows.length > WINDOWS) this.#windows.shift();
  }
}

function wilson(lost: number, packets: number): LossReading {
  const ratio = lost / packets;
  const spread = Z95 ** 2 / packets;
  const middle = (ratio + spread / 2) / (1 + spread);
  const half = (Z95 / (1 + spread)) * Math.sqrt((ratio * (1 - ratio)) / packets + spread / (4 * packets));
  return { ratio, low: Math.max(0, middle - half), high: Math.min(1, middle + half), packets };
}
