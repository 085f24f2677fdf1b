import type { Link, LinkHandlers, Scheduler } from "@paceline/transport";

/** A page's event loop on a virtual clock. While it is busy, its timers and packets wait, as in a browser. */
export class BusyLoop implements Scheduler {
  readonly #base: Scheduler;
  readonly #timers: (() => void)[] = [];
  readonly #packets: (() => void)[] = [];
  #freeAtMs = Number.NEGATIVE_INFINITY;

  constructor(base: Scheduler) {
    this.#base = base;
  }

  nowMs(): number {
    return this.#base.nowMs();
  }

  after(delayMs: number, fn: () => void): () => void {
    let isCancelled = false;
    const cancel = this.#base.after(delayMs, () => this.#run(this.#timers, () => isCancelled || fn()));
    return () => {
      isCancelled = true;
      cancel();
    };
  }

  every(periodMs: number, fn: () => void): () => void {
    let cancel = this.after(periodMs, function tick() {
      cancel = again(tick);
      fn();
    });
    const again = (tick: () => void): (() => void) => this.after(periodMs, tick);
    return () => cancel();
  }

  /** Keeps the loop busy for this time. */
  stall(ms: number): void {
    this.#freeAtMs = this.nowMs() + ms;
    this.#base.after(ms, () => {
      // Overdue timers come first, as they may in a browser.
      for (const waiting of [this.#timers, this.#packets]) for (const run of waiting.splice(0)) run();
    });
  }

  /** Returns the link as this page sees it. */
  link(link: Link): Link {
    const later = (handlers: LinkHandlers, delayed: Link): LinkHandlers => ({
      onOpen: () => this.#run(this.#packets, () => handlers.onOpen()),
      onPacket: (packet) => {
        const copy = packet.slice();
        this.#run(this.#packets, () => handlers.onPacket(copy, delayed));
      },
      onClose: (close) => this.#run(this.#packets, () => handlers.onClose(close)),
    });
    return new Proxy(link, {
      get: (target, name, delayed: Link) => {
        if (name === "start") return (handlers: LinkHandlers) => target.start(later(handlers, delayed));
        const value: unknown = Reflect.get(target, name, target);
        return typeof value === "function" ? (value.bind(target) as unknown) : value;
      },
    });
  }

  #run(waiting: (() => void)[], fn: () => void): void {
    if (this.nowMs() < this.#freeAtMs) waiting.push(fn);
    else fn();
  }
}
