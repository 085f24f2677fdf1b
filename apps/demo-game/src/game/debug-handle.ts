import type { Room } from "@paceline/client";
import type { CarState } from "../car/car-state.js";
import type { RaceGame } from "./race-game.js";
import type { LoggedChat, LoggedLap } from "./race-log.js";
import type { RecordedFrame } from "./recorder.js";

/** A remote car as shown in this frame. */
interface ShownCar {
  readonly id: number;
  readonly ownerId: string;
  readonly name: string;
  readonly x: number;
  readonly y: number;
  readonly headingRad: number;
}

/**
 * `window.paceline`, for the end-to-end tests and for the browser's console: `console.table(await
 * paceline.room.transport.explain())`, `paceline.game.others`. `game` gives copies only: changing them
 * changes nothing.
 */
interface DebugHandle {
  readonly room: Room;
  readonly game: {
    readonly phase: string;
    readonly race: number;
    readonly isDirector: boolean;
    /** Place of the own car in the window, CSS pixels. */
    readonly carOnScreen: { readonly x: number; readonly y: number; readonly radiusPx: number };
    /** Number of the own car if a server decides, else of the participant. */
    readonly carNumber: number;
    readonly car: CarState;
    readonly lapsDone: number;
    readonly progressM: number;
    readonly others: readonly ShownCar[];
    /** Laps that other participants have reported, in order of arrival. */
    readonly laps: readonly LoggedLap[];
    readonly chat: readonly LoggedChat[];
    say(text: string): void;
    /** Records every frame from now on; drops the last recording. */
    startRecording(): void;
    /** The frames since `startRecording`: the own car's true position, and the others' as shown. */
    recording(): readonly RecordedFrame[];
    stopRecording(): void;
  };
}

declare global {
  interface Window {
    paceline?: DebugHandle;
  }
}

export function exposeForDebugging(game: RaceGame): void {
  const { participant, log, recorder } = game;
  window.paceline = {
    room: participant.room,
    game: {
      get phase() {
        return participant.session.phase;
      },
      get race() {
        return participant.session.race;
      },
      get isDirector() {
        return participant.session.isDirector();
      },
      get carNumber() {
        return participant.myNumber;
      },
      get car() {
        return { ...participant.racer.car };
      },
      get lapsDone() {
        return participant.lapsDone;
      },
      get progressM() {
        return participant.progressM;
      },
      get carOnScreen() {
        return game.carOnScreen();
      },
      get others() {
        return participant.remotes.map(({ id, ownerId, name, x, y, headingRad }) => ({
          id,
          ownerId,
          name,
          x,
          y,
          headingRad,
        }));
      },
      get laps() {
        return [...log.laps];
      },
      get chat() {
        return [...log.chat];
      },
      say: (text) => game.say(text),
      startRecording: () => recorder.start(),
      recording: () => recorder.frames(),
      stopRecording: () => recorder.stop(),
    },
  };
}
