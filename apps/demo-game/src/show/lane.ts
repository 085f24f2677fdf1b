import type { Pose } from "./truth.js";

/** A moment as both ends of a line see it: `tick` is the owner's step, `nowMs` the receiver's clock. */
export interface Moment {
  readonly tick: number;
  readonly nowMs: number;
}

/** One way to show a rival: what its owner sends, over a line of its own, and what a receiver makes of it. */
export interface Lane {
  /** Bytes of all packets so far, heads included. */
  readonly sentBytes: number;
  readonly sentPackets: number;
  /** The owner's step. */
  step(truth: Pose, moment: Moment): void;
  /** Where the car is drawn; undefined until something has come. */
  show(nowMs: number): Pose | undefined;
}

/** Sequence and time of every packet, of all lanes alike: 16 bits each. */
export const HEAD_BYTES = 4;

export function writeHead(packet: Uint8Array, sequence: number, tick: number): void {
  const view = new DataView(packet.buffer, packet.byteOffset);
  view.setUint16(0, sequence & 0xffff);
  view.setUint16(2, tick & 0xffff);
}

/** The whole number of which 16 bits have come, the nearest to one that is known. */
export function nearest(bits: number, known: number): number {
  return known + ((((bits - known) & 0xffff) ^ 0x8000) - 0x8000);
}

export function readHead(packet: Uint8Array, known: number): { sequence: number; tick: number } {
  const view = new DataView(packet.buffer, packet.byteOffset);
  return { sequence: view.getUint16(0), tick: nearest(view.getUint16(2), known) };
}
