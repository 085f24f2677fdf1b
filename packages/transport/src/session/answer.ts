import type { Cancel, Scheduler } from "../scheduler.js";

/** Linger before an answer goes out alone, in case that a packet leaves anyway. */
const DELAY_MS = 40;
/** A receipt through the server: it counts as a packet there, and who talks to all says something to each soon. */
const RELAYED_DELAY_MS = 100;
/**
 * An answer waits so long for a packet that is expected: 20 inputs a second, from a loop that is a frame late. The other
 * side takes a state for lost after 60 ms and one and a half round trips.
 */
const MAX_WAIT_MS = 70;
/** Multiple of the packets' period after which nobody expects the next one. */
const PATIENCE = 1.25;

/** A sender has 256 KiB on its way at most: after so many bytes it hears at once, whatever its path. */
export const PROMPT_BYTES = 32_768;

/** Acknowledges received packets in the next packet, or in one of its own if none leaves soon. */
export class Answer {
  readonly #scheduler: Scheduler;
  readonly #send: (trafficClass: "state" | "command") => boolean;
  /** One to states alone may be lost, and must not wait behind what was lost before it. */
  #class: "state" | "command" = "state";
  #cancel: Cancel | undefined;
  #dueAtMs = 0;
  /** When the last packet left, and the period of packets: rather too long than too short. */
  #givenAtMs = 0;
  #periodMs = 1000;
  /** Bytes of commands that arrived since the last answer. */
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
    const nowMs = this.#scheduler.nowMs();
    const nextMs = this.#givenAtMs + PATIENCE * this.#periodMs - nowMs;
    let delayMs = nextMs > MAX_WAIT_MS ? DELAY_MS : Math.max(DELAY_MS, nextMs);
    if (isRelayed && trafficClass === "command") delayMs = RELAYED_DELAY_MS;
    if (this.#bytes >= PROMPT_BYTES) delayMs = 0;
    const dueAtMs = nowMs + delayMs;
    if (this.#cancel && this.#dueAtMs <= dueAtMs) return;
    this.#cancel?.();
    this.#dueAtMs = dueAtMs;
    this.#cancel = this.#scheduler.after(delayMs, () => {
      const isSent = this.#send(this.#class);
      this.#cancel = undefined;
      if (!isSent) this.soon(this.#class, 0);
    });
  }

  /** A packet leaves that says it. */
  given(): void {
    const nowMs = this.#scheduler.nowMs();
    // One that leaves for the answer alone says nothing of the others.
    if (!this.#cancel || this.#dueAtMs > nowMs) {
      this.#periodMs = Math.max(nowMs - this.#givenAtMs, this.#periodMs * 0.9);
      this.#givenAtMs = nowMs;
    }
    this.#class = "state";
    this.#bytes = 0;
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** A packet that may be lost does not settle what it says: so many of them do. */
const LOSSY_REPEATS = 3;

/** Whether there is something to say that the other side has not heard. */
export class News {
  #packets = 0;

  /** Something has happened. */
  add(): void {
    this.#packets = LOSSY_REPEATS;
  }

  /** Whether the packet that leaves is to say it. */
  take(mayBeLost: boolean): boolean {
    if (this.#packets <= 0) return false;
    this.#packets -= mayBeLost ? 1 : LOSSY_REPEATS;
    return true;
  }
}
