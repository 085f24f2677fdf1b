import { NetError, type ErrorCode } from "@paceline/protocol";
import type { Cancel, Scheduler } from "../scheduler.js";

interface PendingRequest {
  resolve(answer: unknown): void;
  reject(error: NetError): void;
  readonly cancelTimeout: Cancel;
}

/** Requests to one peer that wait for their replies. */
export class Requests {
  readonly #scheduler: Scheduler;
  #pending: Map<number, PendingRequest> | undefined;
  #nextId = 1;

  constructor(scheduler: Scheduler) {
    this.#scheduler = scheduler;
  }

  /**
   * Calls `send` with the request's id. The promise settles at the reply, at the timeout, or by {@link
   * failAll}.
   */
  start(timeoutMs: number, send: (id: number) => void): Promise<unknown> {
    const id = this.#nextId++ >>> 0;
    return new Promise((resolve, reject) => {
      const cancelTimeout = this.#scheduler.after(timeoutMs, () => {
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

  #take(id: number): PendingRequest | undefined {
    const request = this.#pending?.get(id);
    this.#pending?.delete(id);
    request?.cancelTimeout();
    return request;
  }
}
