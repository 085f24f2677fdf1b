import type { Ages, Window } from "./age-meter.js";
import type { AgeSystem } from "./systems.js";

export interface SenderOptions {
  readonly entities: number;
  readonly statesPerSecond: number;
}

export interface ReceiverOptions {
  readonly systems: readonly AgeSystem[];
  /** Streams of each system. */
  readonly streams: number;
}

/** Requests to the receiver and its answers: the ages per system, in the windows of each label. */
export type AgesQuestion = readonly Window[];
export type AgesAnswer = readonly ({ readonly system: AgeSystem; readonly label: string } & Ages)[];
