import type { Car, World } from "./world.js";

/** A state as a client has it after decoding; valid during the call. */
export interface SeenState {
  readonly tick: number;
  /** When the server began to encode it, {@link machineMs}. */
  readonly sentMs: number;
  /** Cars that the state has. */
  readonly count: number;
  car(index: number): Car | undefined;
}

export interface ServerOptions {
  readonly port: number;
  readonly world: World;
}

/** The server's half; it listens already. */
interface RoomServer {
  /** Sends the world to all clients, after every step of it. Undefined: the system has a loop, and steps the world itself. */
  readonly publish?: (() => void) | undefined;
}

export interface ClientOptions {
  readonly port: number;
  /** Number of this client's player, and of its car. */
  readonly index: number;
  readonly players: number;
  readonly onState: (state: SeenState) => void;
}

/** A client that has joined. */
export interface RoomClient {
  /** Has 16 bytes: the number, two small whole numbers and two of 32 bits. Called at the rate of the states. */
  readonly sendInput: (number: number) => void;
}

/** A state may differ from the truth by this much. */
export interface Tolerance {
  readonly positionM: number;
  readonly velocityMps: number;
  readonly headingRad: number;
}

/** Something that rooms are made with. */
export interface RoomSystem {
  readonly name: string;
  readonly link: "websocket" | "webrtc";
  readonly tolerance: Tolerance;
  /** The tolerance in words, for tables. */
  readonly precision: string;
  /** npm packages whose versions belong to the figures. */
  readonly packages: readonly string[];
  serve(options: ServerOptions): Promise<RoomServer>;
  join(options: ClientOptions): Promise<RoomClient>;
  /** A client that decodes and draws nothing, for rooms of which one process cannot hold all players. Default: as {@link join}. */
  joinLight?(options: ClientOptions): Promise<RoomClient>;
}

/** The tolerance of what travels as 32-bit floats. */
export const FLOAT32 = {
  tolerance: { positionM: 1e-4, velocityMps: 1e-4, headingRad: 1e-5 },
  precision: "float32",
} as const;
