import type { TrafficClassName } from "@paceline/protocol";
import { mayBeLost, type LinkClose } from "../link.js";
import { PathLink } from "../path-link.js";
import type { Scheduler } from "../scheduler.js";

/** One direction of a memory link: carries packets to the other end, perhaps late, perhaps not at all. */
export interface Pipe {
  /** Bytes taken but not on their way yet. */
  readonly queuedBytes: number;
  send(packet: Uint8Array): void;
}

export interface MemoryLinkOptions {
  readonly scheduler: Scheduler;
  /** For commands: must deliver in order and without loss. */
  readonly reliable: Pipe;
  /** For states and events; the same as `reliable` where the link models a socket. */
  readonly unreliable: Pipe;
  /** For events: repeats what is lost while it lives, in any order; default: as `unreliable`. */
  readonly events?: Pipe;
}

/** While a pipe holds so much it has no room. */
const HIGH_WATER_BYTES = 4096;

/** A link without a network: what it sends goes into pipes, what comes out of the other end's goes to `received`. */
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

  /** Called with what a local `close` says, so that the other end can be told. */
  onLocalClose(fn: (code: number, reason: string) => void): void {
    this.#onLocalClose = fn;
  }

  /** The other end closed, or the path broke. */
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
