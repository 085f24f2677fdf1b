import type { Ages, Window } from "./age-meter.js";
import type { AgeSystem } from "./systems.js";

export interface SenderOptions {
  readonly entities: number;
  readonly statesPerSecond: number;
}

export interface ReceiverOptions {
  readonly systems: readonly AgeSystem[];
  readonly streams: number;
}

/** The request to the receiver and its answer: ages by system, over the windows of each label. */
export type AgesQuestion = readonly Window[];
export type AgesAnswer = readonly ({ readonly system: AgeSystem; readonly label: string } & Ages)[];
