import type { PongTimes } from "../session-options.js";

/**
 * Growth of the least time of an answer, ms per second: the clocks of both sides may differ in speed, and a route
 * may become longer for good.
 */
const GROWTH_MS_PER_S = 0.2;

/**
 * Finds by the clock in the other side's pongs how long answers wait in a queue on the path back. A state whose ack
 * waited there did not arrive late. A false clock moves at most the whole delay of the round trip to the path back.
 */
export class AnswerDelay {
  /** Time that an answer waits on the path back, ms, by the newest pong. */
  waitMs = 0;
  #leastAnswerMs = Infinity;
  #leastRttMs = Infinity;
  #atMs = 0;

  take({ sentMs, remoteMs, receivedMs, wasLate }: PongTimes): void {
    if (wasLate) return;
    const rttMs = receivedMs - sentMs;
    // The clocks begin at different times, so that only differences between two answers mean something.
    const answerMs = receivedMs - remoteMs;
    const growthMs = ((receivedMs - this.#atMs) / 1000) * GROWTH_MS_PER_S;
    this.#atMs = receivedMs;
    this.#leastRttMs = Math.min(rttMs, this.#leastRttMs + growthMs);
    this.#leastAnswerMs = Math.min(answerMs, this.#leastAnswerMs + growthMs);
    this.waitMs = Math.min(answerMs - this.#leastAnswerMs, rttMs - this.#leastRttMs);
  }
}
