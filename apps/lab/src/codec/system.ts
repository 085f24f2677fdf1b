import type { CarState } from "./trace.js";

export type Rotation = "yaw" | "full";
export const CLIENTS = 8;

/** A car as a client decodes it. The object is reused for each tick. */
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

/** One way to send a tick of eight cars to eight clients. */
export interface CodecSystem {
  readonly system: string;
  readonly mode: string;
  /** Encodes the first frame for a joining client; returns its bytes. */
  join(frame: readonly CarState[]): number;
  /** Encodes a tick for all clients; returns the mean bytes of packets per client. */
  encode(frame: readonly CarState[], tick: number): number;
  /** Stops keeping client 0's packets. */
  stopCopying?(): void;
  /** Returns copies of client 0's packets of the last tick; empty if they were lost. */
  takePackets(): readonly Uint8Array[];
  /** Decodes the packets of one tick at client 0. */
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
