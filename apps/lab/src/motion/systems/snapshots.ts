import type { LabReceiver, LabSender, LabSystem, LocalTime, Update } from "../system.js";
import { HEADING, TICK_HZ, TICK_SECONDS, TRUTH_WIDTH } from "../trace.js";

/** Numbers of a row with the step (in their unit) and the bits that they have on the wire. */
interface WireField {
  readonly at: number;
  readonly count: number;
  readonly step: number;
  readonly bits: number;
}

/** Returns the row rounded to the values that a receiver would decode. */
function quantised(row: Float64Array, fields: readonly WireField[]): Float64Array {
  const rounded = Float64Array.from(row);
  for (const { at, count, step, bits } of fields) {
    // A real sender writes positions relative to a near origin, so `bits` limits only narrow fields.
    const limit = bits < 16 ? step * 2 ** (bits - 1) : Infinity;
    for (let index = at; index < at + count; index++) {
      const value = Math.round(row[index]! / step) * step;
      rounded[index] = Math.max(-limit, Math.min(limit, value));
    }
  }
  return rounded;
}

/** Position, orientation and velocity as int16; the orientation has the size of a full one. */
const STATE_BYTES = 18;
/** A time stamp only: less than any real header. */
const HEADER_BYTES = 4;
const SNAPSHOT_BYTES = HEADER_BYTES + STATE_BYTES;
const FIELDS: readonly WireField[] = [
  { at: 0, count: 3, step: 0.002, bits: 16 },
  { at: 3, count: 3, step: 0.001, bits: 16 },
  { at: HEADING, count: 1, step: (2 * Math.PI) / 65_536, bits: 16 },
];

/** Sends at a fixed rate, whether or not the state has changed. */
export class FixedRateSender implements LabSender {
  readonly #everyTicks: number;
  #sinceSent = 0;

  constructor(rateHz: number) {
    this.#everyTicks = Math.round(TICK_HZ / rateHz);
  }

  step(truth: Float64Array, tick: number, isFirst: boolean): Update | undefined {
    this.#sinceSent += 1;
    if (!isFirst && this.#sinceSent < this.#everyTicks) return undefined;
    this.#sinceSent = 0;
    return { payloadBytes: SNAPSHOT_BYTES, tick, row: quantised(truth, FIELDS), isJump: isFirst };
  }
}

/** Returns snapshots at a fixed rate, interpolated at a fixed time after their arrival. */
export function interpolationSystem(name: string, rateHz: number, delayMs: number): LabSystem {
  return {
    name,
    links: ["unreliable", "ordered"],
    sender: () => new FixedRateSender(rateHz),
    receiver: () => new InterpolatingReceiver(delayMs),
  };
}

/**
 * Returns snapshots at a fixed rate, extrapolated to the present by their velocity. Corrections show at once.
 */
export function extrapolationSystem(name: string, rateHz: number): LabSystem {
  return {
    name,
    links: ["unreliable", "ordered"],
    sender: () => new FixedRateSender(rateHz),
    receiver: () => new ExtrapolatingReceiver(),
  };
}

/** Snapshots in the running average of arrival times. */
const AVERAGED = 20;

class InterpolatingReceiver implements LabReceiver {
  readonly #delayMs: number;
  readonly #buffer: Update[] = [];
  #lagMs: number | undefined;
  starvedFrames = 0;

  constructor(delayMs: number) {
    this.#delayMs = delayMs;
  }

  receive(update: Update, { localMs }: LocalTime): void {
    const lagMs = localMs - update.tick * TICK_SECONDS * 1000;
    this.#lagMs = this.#lagMs === undefined ? lagMs : this.#lagMs + (lagMs - this.#lagMs) / AVERAGED;
    if (update.isJump) this.#buffer.length = 0;
    const last = this.#buffer.at(-1);
    if (last && last.tick >= update.tick) return;
    this.#buffer.push(update);
    if (this.#buffer.length > 32) this.#buffer.shift();
  }

  show({ localMs }: LocalTime, into: Float64Array): boolean {
    if (this.#lagMs === undefined || this.#buffer.length === 0) return false;
    const renderTick = (localMs - this.#lagMs - this.#delayMs) / (TICK_SECONDS * 1000);
    const nextAt = this.#buffer.findIndex(({ tick }) => tick > renderTick);
    const before = this.#buffer.at(nextAt < 0 ? -1 : Math.max(0, nextAt - 1))!;
    into.set(before.row);
    const next = this.#buffer[nextAt];
    if (!next) this.starvedFrames += 1;
    if (!next || next === before) return true;
    const share = (renderTick - before.tick) / (next.tick - before.tick);
    for (let index = 0; index < TRUTH_WIDTH; index++) {
      const change = next.row[index]! - before.row[index]!;
      into[index]! += (index === HEADING ? Math.atan2(Math.sin(change), Math.cos(change)) : change) * share;
    }
    return true;
  }
}

class ExtrapolatingReceiver implements LabReceiver {
  #newest: Update | undefined;

  receive(update: Update): void {
    if (!this.#newest || update.tick > this.#newest.tick) this.#newest = update;
  }

  show({ ownerSeconds }: LocalTime, into: Float64Array): boolean {
    if (!this.#newest) return false;
    into.set(this.#newest.row);
    const seconds = Math.max(0, ownerSeconds - this.#newest.tick * TICK_SECONDS);
    for (let axis = 0; axis < 3; axis++) into[axis]! += into[3 + axis]! * seconds;
    return true;
  }
}
