import type { Peer, Room } from "@paceline/client";
import type { DriveInput } from "../car/car-state.js";
import type { DriverCard, LapMessage } from "../race/race-messages.js";
import type { RaceSession } from "../race/race-session.js";
import type { Racer } from "../race/racer.js";
import type { Runner } from "../race/standings.js";
import type { RemoteCar } from "./remote-car.js";

/** Events of the race that a page shows or a driver reacts to. All optional. */
export interface ParticipantEvents {
  onGrid?: () => void;
  onGreen?: () => void;
  onResults?: () => void;
  onOwnLap?: (lap: LapMessage, isBest: boolean) => void;
  /** The newcomer has a computer driver's car now, of that name. */
  onTakeOver?: (name: string) => void;
  /** The newcomer goes on behind the last driver, of that name. */
  onJoinField?: (name: string) => void;
  /** This computer driver has given its car away. */
  onGiven?: () => void;
  onMissedGate?: () => void;
  onPeerLap?: (from: string, lap: LapMessage) => void;
  onChat?: (from: string, color: string, text: string) => void;
}

/** One car in the running order, with what to call it. */
export interface RunnerView extends Runner {
  readonly card: DriverCard;
  readonly isMine: boolean;
}

/** Somebody in a race, however it is run: among players, or by a server that decides. */
export interface RaceParticipant {
  readonly room: Room;
  /** The own car as it is shown. */
  readonly racer: Racer;
  readonly session: RaceSession<Peer>;
  /** Card of the car in the middle of the picture, with the colour that it has in this race. */
  readonly card: DriverCard;
  /** Looks on, without a car. */
  readonly isSpectator: boolean;
  /** Name of the driver whom a spectator watches; undefined for a driver. */
  readonly watched: string | undefined;
  /** Measured time that news of the watched car take to get here, ms; undefined while it is not known. */
  readonly watchedDelayMs: number | undefined;
  /** The number on the roof of the car in the middle of the picture. */
  readonly carNumber: number;
  /** Number of this participant in the results; 0 while it has no car. */
  readonly myNumber: number;
  /** The others' cars as shown in this frame. */
  readonly remotes: readonly RemoteCar[];
  readonly bestLapMs: number;
  readonly lastLapMs: number;
  readonly lapsDone: number;
  readonly lapTimeMs: number;
  readonly progressM: number;
  readonly hasMissedGate: boolean;
  readonly finished: boolean;
  /** One fixed step of time up to that moment (of `performance.now`), with what the player does in it. */
  step(input: DriveInput, atMs: number): void;
  /** Once per frame, before its steps. */
  update(): void;
  /** A spectator's camera goes to the next car, or to the one before. */
  watch(step: 1 | -1): void;
  /** Back to the middle of the road. */
  reset(): void;
  /** Nobody is looking. */
  park(): void;
  cardOf(peer: Peer): DriverCard;
  standings(): RunnerView[];
  chat(text: string): void;
  dispose(): void;
}
