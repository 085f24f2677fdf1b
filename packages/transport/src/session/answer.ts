import type { Cancel, Scheduler } from "../scheduler.js";

/** Linger before an answer goes out alone, in case that a packet leaves anyway. */
const DELAY_MS = 40;

/** What has arrived is said in the next packet, or in one of its own where none leaves soon. */
export class Answer {
  readonly #scheduler: Scheduler;
  readonly #send: (trafficClass: "state" | "command") => void;
  /** One to states alone may be lost, and must not wait behind what was lost before it. */
  #class: "state" | "command" = "state";
  #cancel: Cancel | undefined;

  constructor(scheduler: Scheduler, send: (trafficClass: "state" | "command") => void) {
    this.#scheduler = scheduler;
    this.#send = send;
  }

  /** Something has arrived that is to be answered. */
  soon(trafficClass: "state" | "command"): void {
    if (trafficClass === "command") this.#class = "command";
    this.#cancel ??= this.#scheduler.after(DELAY_MS, () => {
      this.#cancel = undefined;
      this.#send(this.#class);
    });
  }

  /** A packet leaves that says it. */
  given(): void {
    this.#class = "state";
    this.#cancel?.();
    this.#cancel = undefined;
  }
}
