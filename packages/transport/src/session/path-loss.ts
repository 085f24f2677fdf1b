import { SEQUENCE_MODULUS, sequenceDistance } from "@paceline/protocol";
import { ACK_BITS } from "./sequence-window.js";

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

interface Window {
  arrived: number;
  lost: number;
}

/** Windows in a reading: at one a second, the last 20 s. */
const WINDOWS = 20;
/** Newest windows that do not count yet, because packets behind a lost segment may still arrive. */
const SETTLING_WINDOWS = 3;
const MIN_PACKETS = 10;
/** Longest gap that counts as lost. After a longer one the sender began elsewhere. */
export const MAX_GAP = 4096;
/** Packets between one and the newest ack after which its fate is decided: it arrived, or it is lost. */
const MAX_REORDER = 24;
const Z95 = 1.96;

/**
 * Counts arrived and lost packets of the last seconds, from one or several numberings. A packet belongs to
 * the window in which it arrived or was missed. Has no clock of its own.
 */
export class LossCount {
  #windows: Window[] = [];

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
  get window(): Window {
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

/**
 * Finds lost packets on an unreliable link from the gaps in their numbers. Packets that are repeated until
 * they arrive have numbers of the same sequence, and count neither as arrived nor as lost.
 */
export class PathLoss {
  readonly #count: LossCount;
  /** Missing packets with the window in which they were missed, oldest first. */
  #missing: Map<number, Window> | undefined;
  #highest: number | undefined;

  constructor(count: LossCount) {
    this.#count = count;
  }

  /**
   * Takes a packet. Call it once for every packet that is no duplicate. `mayBeLost`: nobody repeats this one.
   * It is undefined if no link in use loses packets: then a gap before it does not count.
   */
  receive(sequence: number, mayBeLost: boolean | undefined): void {
    const ahead = this.#highest === undefined ? 1 : (sequence - this.#highest) & (SEQUENCE_MODULUS - 1);
    const isOlder = ahead >= SEQUENCE_MODULUS / 2;
    if (ahead > 0 && !isOlder) this.#highest = sequence;
    if (mayBeLost === undefined) return;
    const { window } = this.#count;
    if (mayBeLost) window.arrived += 1;
    if (isOlder) return this.#arrivedLate(sequence);
    if (ahead <= MAX_GAP) for (let back = ahead - 1; back > 0; back--) this.#miss(sequence - back, window);
  }

  #miss(sequence: number, window: Window): void {
    const missing = (this.#missing ??= new Map());
    missing.set(sequence & (SEQUENCE_MODULUS - 1), window);
    window.lost += 1;
    if (missing.size <= MAX_GAP) return;
    const [oldest] = missing.keys();
    missing.delete(oldest);
  }

  #arrivedLate(sequence: number): void {
    const window = this.#missing?.get(sequence);
    if (!window) return;
    window.lost -= 1;
    this.#missing!.delete(sequence);
  }
}

/**
 * Finds from the other side's acks which of the packets that nobody repeats were lost. A packet that no ack
 * covers counts neither way, because the acks were lost.
 */
export class SentLoss {
  readonly #count: LossCount;
  /** Packets whose fate is not decided, oldest first. No map: one that fills and empties makes tables all the time. */
  readonly #open: { readonly sequence: number; hasArrived: boolean }[] = [];
  /** Number of open packets that some acks covered: if they have not arrived, they are missing. */
  #covered = 0;

  constructor(count: LossCount) {
    this.#count = count;
  }

  sent(sequence: number): void {
    this.#open.push({ sequence, hasArrived: false });
    if (this.#open.length > MAX_GAP) this.#remove(1);
  }

  acknowledged(sequence: number): void {
    const open = this.#open;
    let [at, end] = [0, open.length];
    while (at < end) {
      const middle = (at + end) >> 1;
      if (sequenceDistance(open[middle]!.sequence, sequence) < 0) at = middle + 1;
      else end = middle;
    }
    if (open[at]?.sequence === sequence) open[at]!.hasArrived = true;
  }

  /**
   * Takes note that acks for this packet and those shortly before it have arrived. The caller has reported
   * the acknowledged packets before.
   */
  acksReceived(ack: number): void {
    const open = this.#open;
    const { window } = this.#count;
    let decided = 0;
    // Arrivals and losses are decided at the same time, otherwise the earlier news would weigh more.
    for (; decided < open.length; decided++) {
      const { sequence, hasArrived } = open[decided]!;
      const behind = sequenceDistance(ack, sequence);
      if (behind <= MAX_REORDER) break;
      if (hasArrived) window.arrived += 1;
      else if (decided < this.#covered || behind <= ACK_BITS) window.lost += 1;
    }
    this.#remove(decided);
    // These acks cover all older packets that are left.
    while (this.#covered < open.length && sequenceDistance(ack, open[this.#covered]!.sequence) >= 0)
      this.#covered += 1;
  }

  /** Forgets the open packets, because another link carries the next ones. */
  restart(): void {
    this.#remove(this.#open.length);
  }

  /** Removes the oldest packets. */
  #remove(count: number): void {
    if (count === 1) this.#open.shift();
    else if (count > 1) this.#open.splice(0, count);
    this.#covered = Math.max(0, this.#covered - count);
  }
}

function wilson(lost: number, packets: number): LossReading {
  const ratio = lost / packets;
  const spread = Z95 ** 2 / packets;
  const middle = (ratio + spread / 2) / (1 + spread);
  const half = (Z95 / (1 + spread)) * Math.sqrt((ratio * (1 - ratio)) / packets + spread / (4 * packets));
  return { ratio, low: Math.max(0, middle - half), high: Math.min(1, middle + half), packets };
}
