import type { Cancel, Scheduler } from "../scheduler.js";

/** Time that an answer waits for a packet that leaves anyway, ms. */
const DELAY_MS = 40;
/**
 * Time that a receipt through the relay waits, ms. It counts as a packet there, and a participant that sends
 * to all will soon send to each.
 */
const RELAYED_DELAY_MS = 100;
/**
 * Longest wait for a packet that is expected, ms: long enough for 20 inputs a second from a loop that is a
 * frame late. The other side counts a state as lost after 60 ms and one and a half round trips.
 */
const MAX_WAIT_MS = 70;
/** Multiple of the packets' or the bundles' period after which the next packet is not expected any more. */
const EXPECTED_PERIODS = 1.25;

/**
 * Received bytes after which an answer leaves at once, on every path. A sender has at most 256 KiB on its
 * way.
 */
export const PROMPT_BYTES = 32_768;

/** Acknowledges received packets in the next packet, or in one of its own if none leaves soon. */
export class DelayedAck {
  readonly #scheduler: Scheduler;
  readonly #send: (trafficClass: "state" | "command") => boolean;
  readonly #bundleMs: () => number;
  /** An answer to states alone may be lost, and must not wait for lost packets. */
  #class: "state" | "command" = "state";
  #cancel: Cancel | undefined;
  #dueAtMs = 0;
  /**
   * Time of the last packet, and estimated period of packets. The estimate is rather too long than too short.
   */
  #sentAtMs = 0;
  #periodMs = 1000;
  /** Bytes of commands that arrived since the last answer. */
  #bytes = 0;
  /** An answer had no room. No further one is tried before this time, whatever arrives. */
  #blockedUntilMs = 0;

  /**
   * @param send sends an answer; returns false if the link has no room, and is called again later then
   * @param bundleMs returns the plan's period of messages, ms, for which an answer waits too; 0: they leave at once
   */
  constructor(
    scheduler: Scheduler,
    send: (trafficClass: "state" | "command") => boolean,
    bundleMs: () => number,
  ) {
    this.#scheduler = scheduler;
    this.#send = send;
    this.#bundleMs = bundleMs;
  }

  /**
   * Schedules an answer to received bytes. One to bulk waits for no bundle, because its sender measures the
   * path by it.
   */
  schedule(
    trafficClass: "state" | "command" | "bulk",
    bytes: number,
    isRelayed = false,
    nowMs = this.#scheduler.nowMs(),
  ): void {
    if (trafficClass !== "state") {
      this.#class = "command";
      this.#bytes += bytes;
    }
    const nextMs = this.#sentAtMs + EXPECTED_PERIODS * this.#periodMs - nowMs;
    let delayMs = nextMs > MAX_WAIT_MS ? DELAY_MS : Math.max(DELAY_MS, nextMs);
    if (trafficClass !== "bulk") delayMs = Math.max(delayMs, EXPECTED_PERIODS * this.#bundleMs());
    if (isRelayed && trafficClass === "command") delayMs = Math.max(delayMs, RELAYED_DELAY_MS);
    if (this.#bytes >= PROMPT_BYTES) delayMs = 0;
    delayMs = Math.max(delayMs, this.#blockedUntilMs - nowMs);
    const dueAtMs = nowMs + delayMs;
    if (this.#cancel && this.#dueAtMs <= dueAtMs) return;
    this.#cancel?.();
    this.#dueAtMs = dueAtMs;
    this.#cancel = this.#scheduler.after(delayMs, () => {
      const isSent = this.#send(this.#class);
      this.#cancel = undefined;
      if (isSent) return;
      // Nothing is prompt without room: many bytes would ask for it again at once, without end.
      this.#bytes = 0;
      this.#blockedUntilMs = this.#scheduler.nowMs() + DELAY_MS;
      this.schedule(this.#class, 0);
    });
  }

  /** Cancels the scheduled answer, because a packet with it leaves. */
  sent(nowMs = this.#scheduler.nowMs()): void {
    // A packet that contains only the answer says nothing about the period of others.
    if (!this.#cancel || this.#dueAtMs > nowMs) {
      this.#periodMs = Math.max(nowMs - this.#sentAtMs, this.#periodMs * 0.9);
      this.#sentAtMs = nowMs;
    }
    this.#class = "state";
    this.#bytes = 0;
    this.#cancel?.();
    this.#cancel = undefined;
  }
}

/** Number of packets that contain the same acknowledgement, if each of them may be lost. */
const LOSSY_REPEATS = 3;

/** An acknowledgement that is due. On a link that loses packets, several packets contain it. */
export class PendingAck {
  #packets = 0;

  set(): void {
    this.#packets = LOSSY_REPEATS;
  }

  /** Returns true if the packet that leaves must contain the acknowledgement. */
  take(mayBeLost: boolean): boolean {
    if (this.#packets <= 0) return false;
    this.#packets -= mayBeLost ? 1 : LOSSY_REPEATS;
    return true;
  }
}
