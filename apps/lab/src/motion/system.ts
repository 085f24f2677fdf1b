import type { LabNetwork, LinkKind } from "./networks.js";

/** A packet: its size on the wire, and the state with its values quantised as on the wire. */
export interface Update {
  readonly payloadBytes: number;
  readonly tick: number;
  readonly row: Float64Array;
  /** True for the first state of an appearance. */
  readonly isJump: boolean;
  /** Sequence of the packet, if the receiver acknowledges it. */
  readonly sequence?: number | undefined;
}

/** The sending side of one entity. */
export interface LabSender {
  /** Runs one simulation step; returns the update to send, if any. */
  step(truth: Float64Array, tick: number, isFirst: boolean): Update | undefined;
  /** Called when the receiver has the update with that sequence. */
  acknowledged?(sequence: number): void;
}

/**
 * The receiving side of one entity. Times: ms of the local clock, and s of the owner's simulation as
 * estimated.
 */
export interface LabReceiver {
  receive(update: Update, local: LocalTime): void;
  /**
   * Writes position and heading in the layout of a truth row; returns false if there is nothing to show yet.
   */
  show(local: LocalTime, into: Float64Array): boolean;
  /** Frames in which the receiver had to extrapolate. */
  readonly starvedFrames?: number;
}

export interface LocalTime {
  readonly localMs: number;
  readonly ownerSeconds: number;
}

/** A way to send and show a remote entity. */
export interface LabSystem {
  readonly name: string;
  readonly links: readonly LinkKind[];
  sender(network: LabNetwork, link: LinkKind): LabSender;
  receiver(network: LabNetwork): LabReceiver;
}
