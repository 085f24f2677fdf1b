import type { Bot } from "../bots/bot.js";
import type { RoomClient, SeenState, Tolerance } from "../room/system.js";
import type { Worlds } from "./world.js";

/** A player's place: the number of its room, its number over all rooms, and the players of a room. */
export interface Seat {
  readonly room: number;
  readonly index: number;
  readonly roomPlayers: number;
}

export interface CheckerOptions extends Seat {
  readonly port: number;
  /** Called once for each whole state. Its `car` takes numbers over all rooms. */
  readonly onState: (state: SeenState) => void;
}

interface BotOptions extends Seat {
  readonly port: number;
  /** Result of {@link CapacitySystem.greeting}. */
  readonly greeting: readonly string[];
  readonly onEnd: (reason: string) => void;
}

/** A library whose capacity is measured. */
export interface CapacitySystem {
  readonly name: string;
  /** The npm packages whose versions are reported. */
  readonly packages: readonly string[];
  readonly tolerance: Tolerance;
  /** Limit of players in a room. */
  readonly maxRoomPlayers: number;
  serve(port: number, worlds: Worlds, roomPlayers: number): Promise<void>;
  /** Joins a whole client, which decodes. */
  joinChecker(options: CheckerOptions): Promise<RoomClient>;
  joinBot(options: BotOptions): Promise<Bot>;
  /**
   * Returns the payloads, in base64, that make the server treat bots like whole clients. Call it after a checker
   * joined.
   */
  greeting?(): Promise<readonly string[]>;
}

/** Half a step of the 16-bit fields of all systems, plus the rounding of a 32-bit float. */
export const SIXTEEN_BITS: Tolerance = { positionM: 0.0021, velocityMps: 0.0006, headingRad: 1e-4 };
/** Ranges of the 16-bit fields. */
export const POSITION = { min: -128, max: 128 } as const;
export const VELOCITY = { min: -32, max: 32 } as const;
export const STEPS = 0xffff;
