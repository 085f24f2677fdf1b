import { SEQUENCE_MODULUS } from "@paceline/protocol";
import { AnswerTimes } from "../answer-times.js";
import type { PongTimes } from "../session-options.js";
import { AnswerDelay } from "./answer-delay.js";

interface InFlight {
  readonly sequence: number;
  readonly sentAtMs: number;
}

/** Excess of a state's time over the quickest one that shows a queue, ms. No further states leave then. */
const QUEUE_MS = 250;
/** Assumed time of a state before the first acknowledgement, ms. */
const UNKNOWN_BASE_MS = 500;
/**
 * States that may leave for each arrived one while the path is slow: fewer if they arrive late, more if in
 * time.
 */
const SHARE_IF_LATE = 0.5;
const SHARE_IF_TIMELY = 1.25;
/** Period of states without acknowledgements, ms. */
const PROBE_PERIOD_MS = 250;
/** After this time without acknowledgements, packets in flight count as lost. */
const LOST_AFTER_MS = 2000;

/**
 * Finds a hidden queue from the time that states take. `bufferedAmount` does not include bytes in a kernel's
 * socket or an SCTP association, which may be seconds' worth. When the oldest state on its way has taken much
 * longer than the path needs, further states wait, so that newer ones can replace them. From then on arrivals
 * make room for others, until nothing waits any more. Loss alone slows nothing down, and neither does a queue in
 * which only the acknowledgements wait. Has no clock of its own.
 */
export class PathDelay {
  /** Times from states to their acknowledgements. */
  readonly answers = new AnswerTimes();
  /** The path back of the acknowledgements. */
  #answerDelay = new AnswerDelay();
  #inFlight: InFlight[] = [];
  #baseMs: number | undefined;
  /** States that may leave although the path is slow. Undefined while it is not slow. */
  #credit: number | undefined;
  #sentAtMs = -Infinity;

  /** Returns true while the path carries less than is sent. */
  isSlow(nowMs: number): boolean {
    return this.#credit !== undefined || this.#isOldestLate(nowMs);
  }

  maySend(nowMs: number): boolean {
    const newest = this.#inFlight.at(-1);
    if (newest && nowMs - newest.sentAtMs > LOST_AFTER_MS) this.#clear();
    else if (this.#isOldestLate(nowMs)) this.#credit ??= 0;
    return (this.#credit ?? 1) >= 1 || nowMs - this.#sentAtMs >= PROBE_PERIOD_MS;
  }

  /**
   * Takes note of a state that leaves. `hasAsked`: the caller has called {@link maySend}, and the state uses
   * its credit.
   */
  sent(sequence: number, hasAsked: boolean, nowMs: number): void {
    if (hasAsked && this.#credit !== undefined && this.#credit >= 1) this.#credit -= 1;
    this.#sentAtMs = nowMs;
    this.#inFlight.push({ sequence, sentAtMs: nowMs });
    // Limits the list, because sequences repeat.
    if (this.#inFlight.length > SEQUENCE_MODULUS / 4) this.#inFlight.shift();
  }

  /**
   * Takes an acknowledgement. Earlier states have arrived too, or never will. Returns true if the state
   * arrived in time.
   */
  acknowledged(sequence: number, nowMs: number): boolean {
    let index = 0;
    while (index < this.#inFlight.length && this.#inFlight[index]!.sequence !== sequence) index += 1;
    const packet = this.#inFlight[index];
    if (!packet) return false;
    const tookMs = nowMs - packet.sentAtMs;
    if (index === 0) this.#inFlight.shift();
    else this.#inFlight.splice(0, index + 1);
    this.answers.take(tookMs, nowMs);
    this.#baseMs = Math.min(this.#baseMs ?? tookMs, tookMs);
    const isLate = this.#isLate(tookMs);
    if (this.#credit !== undefined) this.#credit += (index + 1) * (isLate ? SHARE_IF_LATE : SHARE_IF_TIMELY);
    return !isLate;
  }

  /** Takes the times of a pong over the link that carries the states. */
  pongReceived(times: PongTimes): void {
    this.#answerDelay.take(times);
  }

  /** Called when states arrive in time and none waits: the queue is gone. */
  recovered(): void {
    this.#credit = undefined;
  }

  /** Forgets all measurements, because the path has changed. */
  reset(): void {
    this.#clear();
    this.answers.clear();
    this.#answerDelay = new AnswerDelay();
    this.#baseMs = undefined;
  }

  #isOldestLate(nowMs: number): boolean {
    const oldest = this.#inFlight[0];
    return oldest !== undefined && this.#isLate(nowMs - oldest.sentAtMs);
  }

  #isLate(tookMs: number): boolean {
    return tookMs - this.#answerDelay.waitMs > (this.#baseMs ?? UNKNOWN_BASE_MS) + QUEUE_MS;
  }

  #clear(): void {
    this.#inFlight = [];
    this.#credit = undefined;
  }
}
