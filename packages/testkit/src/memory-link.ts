import type { TrafficClassName } from "@paceline/protocol";
import { PathLink, mayBeLost, type LinkClose, type Scheduler } from "@paceline/transport";

/** One direction of a memory link. It carries packets to the other end, and may delay or lose them. */
export interface Pipe {
  /** Bytes taken and not on their way yet. */
  readonly queuedBytes: number;
  send(packet: Uint8Array): void;
}

export interface MemoryLinkOptions {
  readonly scheduler: Scheduler;
  /** Carries commands, references and bulk. Must deliver all in order. */
  readonly reliable: Pipe;
  /** Carries states and inputs. It is `reliable` itself if the link models a socket. */
  readonly unreliable: Pipe;
  /** Carries events. Repeats lost ones within their lifetime, in any order. Default: `unreliable`. */
  readonly events?: Pipe;
}

/** A pipe that holds this many bytes has no room. */
const HIGH_WATER_BYTES = 4096;

/**
 * A link without a network. It sends into pipes, and takes packets from the other end's pipes by `received`.
 */
export class MemoryLink extends PathLink {
  readonly kind = "memory";
  readonly isUnreliable: boolean;
  readonly #reliable: Pipe;
  readonly #unreliable: Pipe;
  readonly #events: Pipe;
  #onLocalClose: ((code: number, reason: string) => void) | undefined;

  constructor(options: MemoryLinkOptions) {
    super(options.scheduler);
    this.isUnreliable = options.reliable !== options.unreliable;
    this.#reliable = options.reliable;
    this.#unreliable = options.unreliable;
    this.#events = options.events ?? options.unreliable;
  }

  /** Sets the function that gets the code and reason of a local `close`, to report it to the other end. */
  onLocalClose(fn: (code: number, reason: string) => void): void {
    this.#onLocalClose = fn;
  }

  /** Closes the link because the other end closed or the path broke. */
  closeFromRemote(code: number, reason: string): void {
    this.ended(code, reason);
  }

  protected pathBytes(): number {
    let bytes = 0;
    for (const pipe of new Set([this.#reliable, this.#unreliable, this.#events])) bytes += pipe.queuedBytes;
    return bytes;
  }

  protected pathHasRoom(trafficClass: TrafficClassName): boolean {
    return this.#pipeOf(trafficClass).queuedBytes < HIGH_WATER_BYTES;
  }

  protected transmit(trafficClass: TrafficClassName, packet: Uint8Array): boolean {
    this.#pipeOf(trafficClass).send(packet);
    return true;
  }

  protected override shut(close: LinkClose | undefined): void {
    if (close) this.#onLocalClose?.(close.code, close.reason);
  }

  #pipeOf(trafficClass: TrafficClassName): Pipe {
    if (trafficClass === "event") return this.#events;
    return mayBeLost(trafficClass) ? this.#unreliable : this.#reliable;
  }
}
