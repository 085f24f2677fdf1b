import {
  StripeDecision,
  type Cancel,
  type Link,
  type Scheduler,
  type StripedLink,
  type StripeWish,
} from "@paceline/transport";

/** How many WebSockets carry states: as measurements say, or so many. */
export type SocketCount = "auto" | 1 | 2 | 3;

interface StripesOptions {
  readonly scheduler: Scheduler;
  /** Asks the server for a ticket for one more socket. */
  ask(): void;
  /** Opens a socket with a ticket. */
  open(ticket: string): Link;
  /** Measures a round trip now. */
  ping(): void;
  onChange(sockets: number, reason: string): void;
}

const REVIEW_PERIOD_MS = 250;
/** The server answers at once or not at all. */
const ASK_AGAIN_MS = 3000;

/** Opens and closes the sockets that states alternate over, as the round trips to the server say. */
export class Stripes {
  readonly #options: StripesOptions;
  readonly #decision = new StripeDecision();
  readonly #stop: Cancel;
  #link: StripedLink | undefined;
  #forced: SocketCount = "auto";
  #askedAtMs = Number.NEGATIVE_INFINITY;
  #told = 1;

  constructor(options: StripesOptions) {
    this.#options = options;
    this.#stop = options.scheduler.every(REVIEW_PERIOD_MS, () => this.#review());
  }

  /** The sockets that states alternate over now, and why there are so many. */
  get present(): { readonly sockets: number; readonly reason: string } {
    return { sockets: this.#link?.width ?? 0, reason: this.#wish.reason };
  }

  /** The link that carries the session now. */
  use(link: StripedLink | undefined): void {
    if (link === this.#link) return;
    this.#link?.narrow("another link carries the session");
    this.#link = link;
    this.#askedAtMs = Number.NEGATIVE_INFINITY;
    link?.onStripes(() => this.#tell());
  }

  /** Wants so many sockets from now on, whatever is measured; "auto": as measured. */
  force(sockets: SocketCount): void {
    this.#forced = sockets;
    this.#review();
  }

  /** A round trip over the first socket. */
  observe(rttMs: number): void {
    this.#decision.observe(rttMs, this.#options.scheduler.nowMs());
  }

  /** The server gave a ticket. */
  offered(ticket: string): void {
    this.#askedAtMs = Number.NEGATIVE_INFINITY;
    if (this.#link && this.#link.stripeCount + 1 < this.#wish.sockets)
      this.#link.add(this.#options.open(ticket));
  }

  end(): void {
    this.#stop();
    this.use(undefined);
  }

  get #wish(): StripeWish {
    if (this.#forced === "auto") return this.#decision.wish;
    return { sockets: this.#forced, reason: "the game asks for so many" };
  }

  #review(): void {
    const link = this.#link;
    if (link?.state !== "open") return;
    if (this.#forced === "auto" && this.#decision.isSuspicious) this.#options.ping();
    const { sockets, reason } = this.#wish;
    if (sockets === 1 && link.stripeCount > 0) return link.narrow(reason);
    const nowMs = this.#options.scheduler.nowMs();
    if (link.stripeCount + 1 >= sockets || nowMs - this.#askedAtMs < ASK_AGAIN_MS) return;
    this.#askedAtMs = nowMs;
    this.#options.ask();
  }

  #tell(): void {
    const { sockets, reason } = this.present;
    if (sockets === this.#told) return;
    this.#told = sockets;
    this.#options.onChange(sockets, reason);
  }
}
