import { SEQUENCE_MODULUS, sequenceDistance } from "@paceline/protocol";
import { ACK_BITS } from "./sequence-window.js";

/** Measured loss of a link. */
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
  arrived: number;
  lost: number;
}

/** Windows that count: at one a second, the last 20 s. */
const WINDOWS = 20;
/** A gap among the newest packets may still arrive: on an ordered link they wait behind a lost segment. */
const SETTLING_WINDOWS = 3;
const MIN_PACKETS = 10;
/** More than this in a row were not lost: whoever sends them began elsewhere. */
const MAX_GAP = 4096;
/** A packet may come behind so many that were sent later; then it is lost. */
const MAX_REORDER = 24;
const Z95 = 1.96;

/**
 * Counts what is lost of packets over the last seconds, from one numbering or several. A packet belongs to the window in
 * which it arrived or was missed. Pure.
 */
export class LossCount {
  #windows: Window[] = [];

  constructor() {
    this.clear();
  }

  /** Undefined while too few packets came lately, or none at all: then nobody knows whether any were sent. */
  get reading(): LossReading | undefined {
    let [arrived, lost] = [0, 0];
    for (const window of this.#windows.slice(0, -SETTLING_WINDOWS)) {
      arrived += window.arrived;
      lost += window.lost;
    }
    const packets = arrived + lost;
    return packets < MIN_PACKETS || arrived === 0 ? undefined : wilson(lost, packets);
  }

  /** The window of now; it counts once it has ended and what is on its way has arrived. */
  get window(): Window {
    return this.#windows.at(-1)!;
  }

  endWindow(): void {
    // Empty windows before the first packet say nothing: most sessions have no link that loses packets.
    if (!this.#windows[1] && this.window.arrived + this.window.lost === 0) return;
    this.#windows.push({ arrived: 0, lost: 0 });
    if (this.#windows.length > WINDOWS + SETTLING_WINDOWS) this.#windows.shift();
  }

  /** Starts again: the counts belong to another link. */
  clear(): void {
    this.#windows = [{ arrived: 0, lost: 0 }];
  }
}

/**
 * Finds from the numbers of packets that come which ones are lost on an unreliable link. Packets that are repeated until
 * they arrive have numbers of the same sequence: they count neither way. Pure.
 */
export class PathLoss {
  readonly #count: LossCount;
  /** Packets that have not come, with the window in which they were missed, oldest first. */
  readonly #missing = new Map<number, Window>();
  #highest: number | undefined;

  constructor(count: LossCount) {
    this.#count = count;
  }

  /**
   * Call once for every packet that is no duplicate. `mayBeLost`: it is one that nobody repeats; undefined while no link that
   * loses packets is in use: what is missing before it says nothing.
   */
  receive(sequence: number, mayBeLost: boolean | undefined): void {
    const ahead = this.#highest === undefined ? 1 : (sequence - this.#highest) & (SEQUENCE_MODULUS - 1);
    const isOlder = ahead >= SEQUENCE_MODULUS / 2;
    if (ahead > 0 && !isOlder) this.#highest = sequence;
    if (mayBeLost === undefined) return;
    const { window } = this.#count;
    if (mayBeLost) window.arrived += 1;
    if (isOlder) return this.#cameAfterAll(sequence);
    if (ahead <= MAX_GAP) for (let back = ahead - 1; back > 0; back--) this.#miss(sequence - back, window);
  }

  #miss(sequence: number, window: Window): void {
    this.#missing.set(sequence & (SEQUENCE_MODULUS - 1), window);
    window.lost += 1;
    if (this.#missing.size <= MAX_GAP) return;
    const [oldest] = this.#missing.keys();
    this.#missing.delete(oldest!);
  }

  #cameAfterAll(sequence: number): void {
    const window = this.#missing.get(sequence);
    if (!window) return;
    window.lost -= 1;
    this.#missing.delete(sequence);
  }
}

/**
 * Finds from the other side's acks which packets are lost on the way there, of those that nobody repeats. One that no ack
 * ever spoke of counts neither way: the acks were lost. Pure.
 */
export class SentLoss {
  readonly #count: LossCount;
  /** Packets that are not decided yet, oldest first. */
  readonly #open = new Map<number, "sent" | "missing" | "arrived">();

  constructor(count: LossCount) {
    this.#count = count;
  }

  sent(sequence: number): void {
    this.#open.set(sequence, "sent");
    if (this.#open.size <= MAX_GAP) return;
    const [oldest] = this.#open.keys();
    this.#open.delete(oldest!);
  }

  acknowledged(sequence: number): void {
    if (this.#open.has(sequence)) this.#open.set(sequence, "arrived");
  }

  /** Acks have come that speak of this packet and of those shortly before; what they report was reported before. */
  heard(ack: number): void {
    const { window } = this.#count;
    for (const [sequence, state] of this.#open) {
      const behind = sequenceDistance(ack, sequence);
      if (behind < 0) return;
      const known = state === "sent" && behind <= ACK_BITS ? "missing" : state;
      this.#open.set(sequence, known);
      // Both are decided at the same time, or the quicker news would weigh more.
      if (behind <= MAX_REORDER) continue;
      this.#open.delete(sequence);
      if (known === "arrived") window.arrived += 1;
      if (known === "missing") window.lost += 1;
    }
  }

  /** Another link carries the packets. */
  restart(): void {
    this.#open.clear();
  }
}

function wilson(lost: number, packets: number): LossReading {
  const ratio = lost / packets;
  const spread = Z95 ** 2 / packets;
  const middle = (ratio + spread / 2) / (1 + spread);
  const half = (Z95 / (1 + spread)) * Math.sqrt((ratio * (1 - ratio)) / packets + spread / (4 * packets));
  return { ratio, low: Math.max(0, middle - half), high: Math.min(1, middle + half), packets };
}
