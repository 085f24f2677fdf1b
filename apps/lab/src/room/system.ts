import type { Car, World } from "./world.js";

/** A decoded state of a client; valid during the call. */
export interface SeenState {
  readonly tick: number;
  /** Time at which the server began to encode it, by {@link machineMs}. */
  readonly sentMs: number;
  readonly count: number;
  car(index: number): Car | undefined;
}

export interface ServerOptions {
  readonly port: number;
  readonly world: World;
}

/** The server's half, which already listens. */
interface RoomServer {
  /**
   * Sends the world to all clients after each step of it. Undefined if the system steps the world by its own
   * loop.
   */
  readonly publish?: (() => void) | undefined;
}

export interface ClientOptions {
  readonly port: number;
  /** Number of this client's player and car. */
  readonly index: number;
  readonly players: number;
  readonly onState: (state: SeenState) => void;
}

export interface RoomClient {
  /**
   * Sends an input of 16 bytes: the number, two small integers and two 32-bit values. Called at the rate of
   * the states.
   */
  readonly sendInput: (number: number) => void;
}

/** Largest allowed differences between a state and the truth. */
export interface Tolerance {
  readonly positionM: number;
  readonly velocityMps: number;
  readonly headingRad: number;
}

/** A library for rooms. */
export interface RoomSystem {
  readonly name: string;
  readonly link: "websocket" | "webrtc";
  readonly tolerance: Tolerance;
  /** The tolerance in words, for tables. */
  readonly precision: string;
  /** The npm packages whose versions are reported. */
  readonly packages: readonly string[];
  serve(options: ServerOptions): Promise<RoomServer>;
  join(options: ClientOptions): Promise<RoomClient>;
  /**
   * Joins a client that decodes but draws nothing, for rooms that are too large for one process. Default:
   * {@link join}.
   */
  joinLight?(options: ClientOptions): Promise<RoomClient>;
}

/** The tolerance of values that travel as 32-bit floats. */
export const FLOAT32 = {
  tolerance: { positionM: 1e-4, velocityMps: 1e-4, headingRad: 1e-5 },
  precision: "float32",
} as const;
