import type { CarState } from "./trace.js";

export type Rotation = "yaw" | "full";
export const CLIENTS = 8;

/** A car as a client reads it, in plain numbers; an object is kept and filled again. */
export interface SeenCar {
  id: number;
  x: number;
  y: number;
  z: number;
  heading: number;
  quat: [number, number, number, number];
  vx: number;
  vy: number;
  vz: number;
  steer: number;
  throttle: number;
  flags: number;
}

/** One way to bring a tick of eight cars to eight clients. */
export interface CodecSystem {
  readonly system: string;
  readonly mode: string;
  /** Encodes the first frame for a client that joins; bytes. */
  join(frame: readonly CarState[]): number;
  /** Encodes a tick for all clients and returns the bytes of a client's packets, the clients' mean. */
  encode(frame: readonly CarState[], tick: number): number;
  /** From now on packets are not kept for client 0. */
  stopCopying?(): void;
  /** Client 0's packet of the last tick, copied to be decoded later; undefined if it was lost. */
  takePackets(): readonly Uint8Array[];
  /** Client 0 decodes the packets of one tick. */
  decode(packets: readonly Uint8Array[], tick: number): readonly SeenCar[];
}

export function blankCars(count: number): SeenCar[] {
  return Array.from({ length: count }, (_, id) => ({
    id,
    x: 0,
    y: 0,
    z: 0,
    heading: 0,
    quat: [0, 0, 0, 1] as [number, number, number, number],
    vx: 0,
    vy: 0,
    vz: 0,
    steer: 0,
    throttle: 0,
    flags: 0,
  }));
}
