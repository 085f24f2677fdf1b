import type { TrafficClassName } from "@paceline/protocol";
import { mayBeLost, newLinkCounters, type Link, type LinkHandlers, type LinkState } from "../link.js";
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

/** A link without a network: what it sends goes into pipes, what comes out of the other end's goes to `deliver`. */
export class MemoryLink implements Link {
  readonly kind = "memory";
  readonly isUnreliable: boolean;
  readonly counters = newLinkCounters();
  readonly #scheduler: Scheduler;
  readonly #reliable: Pipe;
  readonly #unreliable: Pipe;
  readonly #events: Pipe;
  #state: LinkState = "connecting";
  #handlers: LinkHandlers | undefined;
  #onLocalClose: ((code: number, reason: string) => void) | undefined;

  constructor(options: MemoryLinkOptions) {
    this.#scheduler = options.scheduler;
    this.isUnreliable = options.reliable !== options.unreliable;
    this.#reliable = options.reliable;
    this.#unreliable = options.unreliable;
    this.#events = options.events ?? options.unreliable;
  }

  get state(): LinkState {
    return this.#state;
  }

  get queuedBytes(): number {
    let bytes = 0;
    for (const pipe of new Set([this.#reliable, this.#unreliable, this.#events])) bytes += pipe.queuedBytes;
    return bytes;
  }

  hasRoom(trafficClass: TrafficClassName): boolean {
    return this.#pipeOf(trafficClass).queuedBytes < HIGH_WATER_BYTES;
  }

  /** Called with what a local `close` says, so that the other end can be told. */
  onLocalClose(fn: (code: number, reason: string) => void): void {
    this.#onLocalClose = fn;
  }

  start(handlers: LinkHandlers): void {
    this.#handlers = handlers;
    this.#scheduler.after(0, () => {
      if (this.#state !== "connecting") return;
      this.#state = "open";
      handlers.onOpen();
    });
  }

  send(trafficClass: TrafficClassName, packet: Uint8Array): void {
    if (this.#state !== "open") {
      this.counters.packetsDropped += 1;
      return;
    }
    this.counters.packetsSent += 1;
    this.counters.bytesSent += packet.length;
    this.#pipeOf(trafficClass).send(packet);
  }

  /** A packet comes out of the other end's pipe. */
  deliver(packet: Uint8Array): void {
    if (this.#state !== "open") return;
    this.counters.packetsReceived += 1;
    this.counters.bytesReceived += packet.length;
    this.#handlers?.onPacket(packet);
  }

  close(code: number, reason: string): void {
    if (this.#state === "closed") return;
    this.#end();
    this.#onLocalClose?.(code, reason);
    this.#scheduler.after(0, () => this.#report(code, reason));
  }

  /** The other end closed, or the path broke. */
  closeFromRemote(code: number, reason: string): void {
    if (this.#state === "closed") return;
    this.#end();
    this.#report(code, reason);
  }

  #end(): void {
    this.#state = "closed";
  }

  #pipeOf(trafficClass: TrafficClassName): Pipe {
    if (trafficClass === "event") return this.#events;
    return mayBeLost(trafficClass) ? this.#unreliable : this.#reliable;
  }

  #report(code: number, reason: string): void {
    const handlers = this.#handlers;
    this.#handlers = undefined;
    handlers?.onClose({ code, reason });
  }
}
