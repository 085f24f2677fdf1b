import type { WebSocketLike } from "@paceline/transport";
import type { NetworkSettings } from "@paceline/transport/simulated";
import { type SimulatedEnd, type SimulatedPairOptions, simulatedPair } from "./simulated-pair.js";

const CONNECTING = 0;
const OPEN = 1;
const CLOSED = 3;

/** One end of a simulated connection with the interface of a WebSocket. */
export class VirtualSocket implements WebSocketLike {
  binaryType = "arraybuffer";
  readyState = OPEN;
  readonly #end: SimulatedEnd;
  readonly #listeners = new Map<string, ((event: never) => void)[]>();
  /** Called when this end closes the connection. @internal */
  onClosed: ((code: number, reason: string) => void) | undefined;

  constructor(end: SimulatedEnd) {
    this.#end = end;
    end.onPacket((packet) => {
      if (this.readyState === OPEN) this.#emit("message", { data: packet.slice().buffer });
    });
  }

  /** Bytes that the socket holds because the network's own queue is full. */
  get bufferedAmount(): number {
    const { queuedBytes, settings } = this.#end.outgoing;
    return Math.max(0, queuedBytes - settings.queueBytes);
  }

  addEventListener(type: string, listener: (event: never) => void): void {
    this.#listeners.set(type, [...(this.#listeners.get(type) ?? []), listener]);
  }

  send(data: Uint8Array): void {
    if (this.readyState === OPEN) this.#end.send(data);
  }

  close(code = 1000, reason = ""): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.onClosed?.(code, reason);
  }

  /** Makes this end wait for {@link open}, as for the server's answer to the upgrade. */
  connect(): void {
    this.readyState = CONNECTING;
  }

  open(): void {
    if (this.readyState !== CONNECTING) return;
    this.readyState = OPEN;
    this.#emit("open", {});
  }

  /** Closes this end because the other end closed, or because the network is gone. */
  end(code: number, reason: string): void {
    if (this.readyState === CLOSED) return;
    this.readyState = CLOSED;
    this.#emit("close", { code, reason });
  }

  #emit(type: string, event: object): void {
    for (const listener of this.#listeners.get(type) ?? []) listener(event as never);
  }
}

/** The two ends of one connection. */
export interface VirtualSocketPair {
  readonly player: VirtualSocket;
  readonly server: VirtualSocket;
  /** Changes the network in both directions. */
  change(changes: Partial<NetworkSettings>): void;
}

/**
 * Makes a WebSocket over a simulated network, open from the start: reliable and ordered, so lost packets come
 * late. The close
 * of one end reaches the other after the network's delay (at least 1 ms); `onClose` is called at once.
 */
export function virtualSocketPair(
  options: Omit<SimulatedPairOptions, "ordered" | "reliable">,
  onClose?: () => void,
): VirtualSocketPair {
  const path = simulatedPair({ ...options, ordered: true, reliable: true });
  const { a, b } = path;
  const [player, server] = [new VirtualSocket(a), new VirtualSocket(b)];
  const delayMs = Math.max(1, a.outgoing.settings.delayMs);
  const closing = (other: VirtualSocket) => (code: number, reason: string) => {
    onClose?.();
    options.scheduler.after(delayMs, () => other.end(code, reason));
  };
  player.onClosed = closing(server);
  server.onClosed = closing(player);
  return { player, server, change: (changes) => path.change(changes) };
}
