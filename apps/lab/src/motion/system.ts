import type { LabNetwork, LinkKind } from "./networks.js";

/** A packet: its size on the wire, and the state itself, quantised as its bytes would be. */
export interface Update {
  readonly payloadBytes: number;
  readonly tick: number;
  readonly row: Float64Array;
  /** First state of an appearance. */
  readonly isJump: boolean;
  /** Sequence of a packet that the receiver acknowledges. */
  readonly sequence?: number | undefined;
}

/** The owner of one entity. */
export interface LabSender {
  /** One simulation step; the update to send, if any. */
  step(truth: Float64Array, tick: number, isFirst: boolean): Update | undefined;
  /** The receiver has the update of that sequence. */
  acknowledged?(sequence: number): void;
  /** Payload bytes of the packets that went to the receiver reliably since the last call. */
  takeReliable?(): readonly number[];
}

/** Somebody who watches it. Times are ms of the local clock, and s of the owner's simulation as estimated. */
export interface LabReceiver {
  receive(update: Update, local: LocalTime): void;
  /** Writes position (and heading at its place in a row of truth); false while there is nothing to show. */
  show(local: LocalTime, into: Float64Array): boolean;
  /** Frames in which the receiver had to go beyond what it knew. */
  readonly starvedFrames?: number;
}

export interface LocalTime {
  readonly localMs: number;
  readonly ownerSeconds: number;
}

/** A way to keep a remote entity in view. */
export interface LabSystem {
  readonly name: string;
  readonly links: readonly LinkKind[];
  sender(network: LabNetwork, link: LinkKind): LabSender;
  receiver(network: LabNetwork): LabReceiver;
}
