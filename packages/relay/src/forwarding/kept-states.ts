import type { CellEnvelope } from "@paceline/protocol";
import type { Participant } from "../sessions/participant.js";

/** Limit of bytes that are kept of one owner. Beyond it the oldest packets are forgotten. */
const MAX_BYTES = 4096;
/**
 * Time for which a packet is kept, ms. Packets without a key are not replaced, and their entities may be elsewhere by now:
 * an owner sends each again within its heartbeat.
 */
const KEPT_MS = { keyed: 60_000, unkeyed: 3000 };
/** Bytes that a kept packet takes besides its own. */
const OVERHEAD_BYTES = 96;

/** A packet of states, for those who come to see its cell. */
export type KeptPacket = Pick<CellEnvelope, "cell" | "key" | "packet"> & { readonly atMs: number };

/** The newest states of one owner. A packet replaces the one before it with the same key. The relay does not read them. */
export class KeptStates {
  readonly #owner: Participant;
  readonly #packets = new Map<number, KeptPacket>();
  #unkeyed = -1;

  constructor(owner: Participant) {
    this.#owner = owner;
  }

  keep({ cell, key, packet }: CellEnvelope, nowMs: number): void {
    const at = key === 0 ? this.#unkeyed-- : key;
    this.#forget(at);
    // A copy, since the envelope is a view of what the socket has read.
    this.#packets.set(at, { cell, key, packet: packet.slice(), atMs: nowMs });
    this.#owner.cellBytes += packet.length + OVERHEAD_BYTES;
    let bytes = this.#bytes;
    for (const [oldest, { atMs, packet: old }] of this.#packets) {
      if (bytes <= MAX_BYTES && nowMs - atMs <= KEPT_MS.keyed) break;
      bytes -= old.length + OVERHEAD_BYTES;
      this.#forget(oldest);
    }
  }

  /** Yields the packets of these cells, oldest first. */
  *in(cells: ReadonlySet<number>, nowMs: number): Iterable<KeptPacket> {
    for (const kept of this.#packets.values())
      if (cells.has(kept.cell) && nowMs - kept.atMs <= (kept.key === 0 ? KEPT_MS.unkeyed : KEPT_MS.keyed))
        yield kept;
  }

  clear(): void {
    for (const at of this.#packets.keys()) this.#forget(at);
  }

  get #bytes(): number {
    let bytes = 0;
    for (const { packet } of this.#packets.values()) bytes += packet.length + OVERHEAD_BYTES;
    return bytes;
  }

  #forget(at: number): void {
    const kept = this.#packets.get(at);
    if (!kept) return;
    this.#packets.delete(at);
    this.#owner.cellBytes -= kept.packet.length + OVERHEAD_BYTES;
  }
}
