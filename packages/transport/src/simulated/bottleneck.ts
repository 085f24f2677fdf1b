import type { Scheduler } from "../scheduler.js";

/** Present limits of a path's bottleneck. Read for every packet, because they may change. */
interface Capacity {
  /** Bits per second. */
  readonly rateBps: number;
  readonly queueBytes: number;
}

interface QueuedPacket {
  readonly bytes: number;
  readonly onSent: () => void;
}

/** The bottleneck of a path: a queue of limited size that packets leave one after another at a rate. */
export class Bottleneck {
  readonly #scheduler: Scheduler;
  readonly #capacity: () => Capacity;
  readonly #waiting: QueuedPacket[] = [];
  #isSending = false;
  /** Bytes that wait or are being sent. */
  queuedBytes = 0;

  constructor(scheduler: Scheduler, capacity: () => Capacity) {
    this.#scheduler = scheduler;
    this.#capacity = capacity;
  }

  /** Returns true if `bytes` more fit into the queue. */
  hasRoomFor(bytes: number): boolean {
    return this.queuedBytes + bytes <= this.#capacity().queueBytes;
  }

  /** Takes a packet regardless of room. Calls `onSent` when its last bit has left. */
  push(bytes: number, onSent: () => void): void {
    this.queuedBytes += bytes;
    this.#waiting.push({ bytes, onSent });
    if (!this.#isSending) this.#sendNext();
  }

  #sendNext(): void {
    for (let packet = this.#waiting.shift(); packet !== undefined; packet = this.#waiting.shift()) {
      const sent = packet;
      const sendingMs = (sent.bytes * 8000) / this.#capacity().rateBps;
      if (sendingMs > 0) {
        this.#isSending = true;
        this.#scheduler.after(sendingMs, () => {
          this.#isSending = false;
          this.#finish(sent);
          this.#sendNext();
        });
        return;
      }
      this.#finish(sent);
    }
  }

  #finish(sent: QueuedPacket): void {
    this.queuedBytes -= sent.bytes;
    sent.onSent();
  }
}
