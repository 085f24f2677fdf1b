import type { Peer, Room } from "@paceline/client";
import type { DriveInput } from "../car/car-state.js";
import type { OtherCar } from "../car/contact.js";
import type { DriverCard, LapMessage } from "../race/race-messages.js";
import type { RaceSession } from "../race/race-session.js";
import type { Racer } from "../race/racer.js";
import type { Runner } from "../race/standings.js";

/** Events of a race, for the page or for a computer driver. All are optional. */
export interface ParticipantEvents {
  onGrid?: () => void;
  onGreen?: () => void;
  onResults?: () => void;
  onOwnLap?: (lap: LapMessage, isBest: boolean) => void;
  /** Called when the newcomer has taken over the car of a computer driver. */
  onTakeOver?: (name: string) => void;
  /** Called when the newcomer has been put behind the last driver. */
  onJoinField?: (name: string) => void;
  /** Called when this computer driver has given its car away. */
  onGiven?: () => void;
  onMissedGate?: () => void;
  onPeerLap?: (from: string, lap: LapMessage) => void;
  onChat?: (from: string, color: string, text: string) => void;
}

/** Another participant's car as this page shows it now. */
export interface RemoteCar extends OtherCar {
  readonly id: number;
  readonly ownerId: string;
  readonly number: number;
  readonly name: string;
  readonly color: string;
  readonly isComputer: boolean;
  readonly steer: number;
  readonly throttle: number;
  readonly handbrake: boolean;
  /** The newest received state, neither predicted nor smoothed. */
  readonly received: { readonly x: number; readonly y: number; readonly headingRad: number };
  /** Age of the newest state, ms. */
  readonly ageMs: number;
}

/**
 * Age of the newest state after which a car is drawn as a ghost and cannot be hit, ms. Its owner is silent
 * then.
 */
export const STALE_AFTER_MS = 4_000;

/** One car in the running order, with its driver's card. */
export interface RunnerView extends Runner {
  readonly card: DriverCard;
  readonly isMine: boolean;
}

/** A participant in a race: in one among players, or in one that a server decides. */
export interface RaceParticipant {
  readonly room: Room;
  /** The own car as it is shown. */
  readonly racer: Racer;
  readonly session: RaceSession<Peer>;
  /** Card of the car in the middle of the picture, with the colour that it has in this race. */
  readonly card: DriverCard;
  /** True for a participant without a car. */
  readonly isSpectator: boolean;
  /** Name of the driver whom a spectator watches; undefined for a driver. */
  readonly watched: string | undefined;
  /** Age of the watched car's states when they arrive, ms; undefined while it is not known. */
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
  /** Runs one fixed step with the player's input. The step ends at `atMs` of `performance.now`. */
  step(input: DriveInput, atMs: number): void;
  /** Called once per frame, before its steps. */
  update(): void;
  /** Moves a spectator's camera to the next or the previous car. */
  watch(step: 1 | -1): void;
  /** Puts the car back to the middle of the road. */
  reset(): void;
  /** Called while the page is hidden. */
  park(): void;
  cardOf(peer: Peer): DriverCard;
  standings(): RunnerView[];
  chat(text: string): void;
  dispose(): void;
}
