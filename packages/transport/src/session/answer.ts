import type { Cancel, Scheduler } from "../scheduler.js";

/** Linger before an answer goes out alone, in case that a packet leaves anyway. */
const DELAY_MS = 40;
/** A receipt through the server: it counts as a packet there, and who talks to all says something to each soon. */
const RELAYED_DELAY_MS = 100;

/** A sender has 256 KiB on its way at most: after so many bytes it hears at once, whatever its path. */
const PROMPT_BYTES = 32_768;

/** What has arrived is said in the next packet, or in one of its own where none leaves soon. */
export class Answer {
  readonly #scheduler: Scheduler;
  readonly #send: (trafficClass: "state" | "command") => boolean;
  /** One to states alone may be lost, and must not wait behind what was lost before it. */
  #class: "state" | "command" = "state";
  #cancel: Cancel | undefined;
  #dueAtMs = 0;
  /** Of commands that arrived since the last answer. */
  #bytes = 0;

  /** @param send false where the link has no room: then it is tried again */
  constructor(scheduler: Scheduler, send: (trafficClass: "state" | "command") => boolean) {
    this.#scheduler = scheduler;
    this.#send = send;
  }

  /** Something has arrived that is to be answered. */
  soon(trafficClass: "state" | "command", bytes: number, isRelayed = false): void {
    if (trafficClass === "command") {
      this.#class = "command";
      this.#bytes += bytes;
    }
    const lingerMs = isRelayed && trafficClass === "command" ? RELAYED_DELAY_MS : DELAY_MS;
    const delayMs = this.#bytes < PROMPT_BYTES ? lingerMs : 0;
    const dueAtMs = this.#scheduler.nowMs() + delayMs;
    if (this.#cancel && this.#dueAtMs <= dueAtMs) return;
    this.#cancel?.();
    this.#dueAtMs = dueAtMs;
    this.#cancel = this.#scheduler.after(delayMs, () => {
      this.#cancel = undefined;
      if (!this.#send(this.#class)) this.soon(this.#class, 0);
    });
  }

  /** A packet leaves that says it. */
  given(): void {
    this.#class = "state";
    this.#bytes = 0;
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
