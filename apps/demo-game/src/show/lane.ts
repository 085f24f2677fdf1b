import type { Pose } from "./truth.js";

/** A moment of the show: `tick` counts the owner's steps, `nowMs` is the virtual clock. */
export interface Moment {
  readonly tick: number;
  readonly nowMs: number;
}

/**
 * One way to show a rival: the states that its owner sends over a simulated line, and what the receiver makes
 * of them.
 */
export interface Lane {
  /** Bytes of all state packets so far, headers included; pings and acknowledgements do not count. */
  readonly sentBytes: number;
  readonly sentPackets: number;
  /** Called for each step of the owner. */
  step(truth: Pose, moment: Moment): void;
  /** Where the receiver draws the car; undefined before the first state. */
  show(nowMs: number): Pose | undefined;
}

/** Header of every packet from the owner, in all lanes: sequence and tick, 16 bits each. */
export const HEAD_BYTES = 4;

export function writeHead(packet: Uint8Array, sequence: number, tick: number): void {
  const view = new DataView(packet.buffer, packet.byteOffset);
  view.setUint16(0, sequence & 0xffff);
  view.setUint16(2, tick & 0xffff);
}

/** Restores a number from its low 16 bits: the one nearest to `known`. */
export function nearest(bits: number, known: number): number {
  return known + ((((bits - known) & 0xffff) ^ 0x8000) - 0x8000);
}

export function readHead(packet: Uint8Array, known: number): { sequence: number; tick: number } {
  const view = new DataView(packet.buffer, packet.byteOffset);
  return { sequence: view.getUint16(0), tick: nearest(view.getUint16(2), known) };
}
