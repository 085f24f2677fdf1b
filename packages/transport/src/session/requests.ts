import { NetError, type ErrorCode } from "@paceline/protocol";
import { afterOwnTime, type Cancel, type Scheduler } from "../scheduler.js";

interface PendingRequest {
  resolve(answer: unknown): void;
  reject(error: NetError): void;
  readonly cancelTimeout: Cancel;
}

const SECOND_MS = 1000;

/** Requests to one peer that wait for their replies. */
export class Requests {
  readonly #scheduler: Scheduler;
  readonly #mostPerSecond: number;
  /** Times of the requests of the last second, ms. */
  #startedAtMs: number[] = [];
  #pending: Map<number, PendingRequest> | undefined;
  #nextId = 1;

  /** @param mostPerSecond requests that the peer answers in a second; default: all */
  constructor(scheduler: Scheduler, mostPerSecond = Infinity) {
    this.#scheduler = scheduler;
    this.#mostPerSecond = mostPerSecond;
  }

  /**
   * Calls `send` with the request's id. The promise settles at the reply, at the timeout, or by {@link
   * failAll}. It rejects at once with `limit/rate` if the peer would drop the request.
   */
  start(timeoutMs: number, send: (id: number) => void): Promise<unknown> {
    if (!this.#isWithinRate()) {
      const message = `more than ${this.#mostPerSecond} requests to one peer within a second; this one was not sent`;
      return Promise.reject(new NetError("limit/rate", message, { retryable: true }));
    }
    const id = this.#nextId++ >>> 0;
    return new Promise((resolve, reject) => {
      const cancelTimeout = afterOwnTime(this.#scheduler, timeoutMs, () => {
        this.#pending?.delete(id);
        reject(new NetError("request/timeout", `no reply within ${timeoutMs} ms`, { retryable: true }));
      });
      (this.#pending ??= new Map()).set(id, { resolve, reject, cancelTimeout });
      try {
        send(id);
      } catch (error) {
        this.#take(id);
        reject(error instanceof Error ? error : new Error(String(error)));
      }
    });
  }

  /** Takes a reply. Ignores one without a waiting request. */
  reply(id: number, ok: boolean, message: unknown): void {
    const request = this.#take(id);
    if (!request) return;
    if (ok) request.resolve(message);
    else request.reject(new NetError("request/refused", typeof message === "string" ? message : "refused"));
  }

  failAll(code: ErrorCode, message: string): void {
    for (const id of this.#pending?.keys() ?? []) this.#take(id)?.reject(new NetError(code, message));
  }

  #isWithinRate(): boolean {
    if (this.#mostPerSecond === Infinity) return true;
    const nowMs = this.#scheduler.nowMs();
    this.#startedAtMs = this.#startedAtMs.filter((startedAtMs) => nowMs - startedAtMs < SECOND_MS);
    const isWithin = this.#startedAtMs.length < this.#mostPerSecond;
    if (isWithin) this.#startedAtMs.push(nowMs);
    return isWithin;
  }

  #take(id: number): PendingRequest | undefined {
    const request = this.#pending?.get(id);
    this.#pending?.delete(id);
    request?.cancelTimeout();
    return request;
  }
}
