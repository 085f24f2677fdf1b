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

/** The network between two players who connect directly. */
export interface VirtualWebRtcOptions {
  readonly random: Random;
  readonly settings?: Partial<NetworkSettings>;
}

/**
 * WebRTC between the players of a stage, for the option `webRtc` of their clients: all who may connect share one maker.
 * Offer and answer travel as the room carries them; then a reliable path and a lossy one beside it open.
 */
export function virtualWebRtc({ random, settings = {} }: VirtualWebRtcOptions): WebRtcLinkMaker {
  const offers: MemoryLinkPair[] = [];
  return (options) => new VirtualWebRtcLink(options, offers, () => ({ random: random.fork(), settings }));
}

class VirtualWebRtcLink implements SignalledLink {
  readonly kind = "webrtc";
  readonly isUnreliable = true;
  readonly route = undefined;
  readonly hint = undefined;
  readonly #options: WebRtcLinkOptions;
  readonly #offers: MemoryLinkPair[];
  readonly #early: LinkFilter[] = [];
  readonly #unopened = newLinkCounters();
  #link: Link | undefined;
  #handlers: LinkHandlers | undefined;
  #isClosed = false;

  constructor(
    options: WebRtcLinkOptions,
    offers: MemoryLinkPair[],
    network: () => Required<VirtualWebRtcOptions>,
  ) {
    this.#options = options;
    this.#offers = offers;
    if (!options.isInitiator) return;
    const { scheduler } = options;
    const offer = offers.push(memoryLinkPair({ scheduler, ...network() })) - 1;
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
    this.#link?.start(this.#handlers);
  }

  signal(data: unknown): void {
    const { offer, answer } = data as { readonly offer?: number; readonly answer?: number };
    const pair = this.#offers[offer ?? answer ?? -1];
    if (!pair || this.#link || this.#isClosed) return;
    this.#link = offer === undefined ? pair.a : pair.b;
    this.#link.filters?.push(...this.#early);
    if (offer !== undefined) this.#options.onSignal({ answer: offer });
    if (this.#handlers) this.#link.start(this.#handlers);
  }

  hasRoom(trafficClass: TrafficClassName): boolean {
    return this.#link?.hasRoom(trafficClass) !== false;
  }

  send(trafficClass: TrafficClassName, packet: Uint8Array): void {
    if (this.#link) this.#link.send(trafficClass, packet);
    else this.#unopened.packetsDropped += 1;
  }

  close(code: number, reason: string): void {
    if (this.#link) return this.#link.close(code, reason);
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#options.scheduler.after(0, () => this.#handlers?.onClose({ code, reason }));
  }
}
