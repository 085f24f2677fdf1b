import {
  newLinkCounters,
  type Link,
  type LinkFilter,
  type LinkHandlers,
  type LinkState,
  type SignalledLink,
  type WebRtcLinkMaker,
  type WebRtcLinkOptions,
} from "@paceline/transport";
import type { TrafficClassName } from "@paceline/protocol";
import type { NetworkSettings, Random } from "@paceline/transport/simulated";
import { memoryLinkPair, type MemoryLinkPair } from "../memory-link-pair.js";

/** The network between two players with a direct link. */
export interface VirtualWebRtcOptions {
  readonly random: Random;
  readonly settings?: Partial<NetworkSettings>;
  /**
   * Chance that a step of a handshake is lost on a lossy path. It is repeated after 1 s, then 2 s, then 4 s.
   */
  readonly lostHandshakeRatio?: number;
}

/** Steps of a handshake with such repetitions: the server's part of DTLS, and two of SCTP. */
const HANDSHAKE_STEPS = 3;
const FIRST_REPEAT_MS = 1000;

/** Returns the total time that the steps of a handshake wait for repetitions, ms. */
function handshakeDelayMs(random: Random, lostRatio: number): number {
  let delayMs = 0;
  for (let step = 0; step < HANDSHAKE_STEPS; step += 1)
    for (let repeatMs = FIRST_REPEAT_MS; random.bool(lostRatio); repeatMs *= 2) delayMs += repeatMs;
  return delayMs;
}

/**
 * Returns WebRTC for the option `webRtc` of a stage's clients; players who may connect share one maker. The
 * room carries offer
 * and answer; then a reliable path and a lossy one open.
 */
export function virtualWebRtc(terms: VirtualWebRtcOptions): WebRtcLinkMaker {
  const { random, settings = {}, lostHandshakeRatio } = terms;
  const offers: Offer[] = [];
  return (options) =>
    new VirtualWebRtcLink(options, offers, () => ({
      pair: memoryLinkPair({ scheduler: options.scheduler, random: random.fork(), settings }),
      delayMs: lostHandshakeRatio === undefined ? 0 : handshakeDelayMs(random, lostHandshakeRatio),
    }));
}

interface Offer {
  readonly pair: MemoryLinkPair;
  /** Time from the answer until both ends open. */
  readonly delayMs: number;
}

class VirtualWebRtcLink implements SignalledLink {
  readonly kind = "webrtc";
  readonly isUnreliable = true;
  readonly route = undefined;
  readonly hint = undefined;
  readonly #options: WebRtcLinkOptions;
  readonly #offers: Offer[];
  readonly #early: LinkFilter[] = [];
  readonly #unopened = newLinkCounters();
  #link: Link | undefined;
  #delayMs = 0;
  #isStarted = false;
  #handlers: LinkHandlers | undefined;
  #isClosed = false;

  constructor(options: WebRtcLinkOptions, offers: Offer[], newOffer: () => Offer) {
    this.#options = options;
    this.#offers = offers;
    if (!options.isInitiator) return;
    const { scheduler } = options;
    const offer = offers.push(newOffer()) - 1;
    scheduler.after(0, () => options.onSignal({ offer }));
  }

  get state(): LinkState {
    return this.#isClosed ? "closed" : (this.#link?.state ?? "connecting");
  }

  get counters(): Link["counters"] {
    return this.#link?.counters ?? this.#unopened;
  }

  get filters(): LinkFilter[] {
    return this.#link?.filters ?? this.#early;
  }

  get queuedBytes(): number {
    return this.#link?.queuedBytes ?? 0;
  }

  start(handlers: LinkHandlers): void {
    this.#handlers = { ...handlers, onPacket: (packet) => handlers.onPacket(packet, this) };
    this.#startLink();
  }

  signal(data: unknown): void {
    const { offer, answer } = data as { readonly offer?: number; readonly answer?: number };
    const known = this.#offers[offer ?? answer ?? -1];
    if (!known || this.#link || this.#isClosed) return;
    const { pair, delayMs } = known;
    this.#link = offer === undefined ? pair.a : pair.b;
    this.#delayMs = delayMs;
    this.#link.filters?.push(...this.#early);
    if (offer !== undefined) this.#options.onSignal({ answer: offer });
    this.#startLink();
  }

  hasRoom(trafficClass: TrafficClassName): boolean {
    return this.#link?.hasRoom(trafficClass) !== false;
  }

  send(trafficClass: TrafficClassName, packet: Uint8Array): void {
    if (this.#link) this.#link.send(trafficClass, packet);
    else this.#unopened.packetsDropped += 1;
  }

  close(code: number, reason: string): void {
    this.#link?.close(code, reason);
    if (this.#isStarted || this.#isClosed) return;
    this.#isClosed = true;
    this.#options.scheduler.after(0, () => this.#handlers?.onClose({ code, reason }));
  }

  #startLink(): void {
    const [link, handlers] = [this.#link, this.#handlers];
    if (!link || !handlers) return;
    const start = (): void => {
      if (this.#isClosed) return;
      this.#isStarted = true;
      link.start(handlers);
    };
    if (this.#delayMs === 0) start();
    else this.#options.scheduler.after(this.#delayMs, start);
  }
}
