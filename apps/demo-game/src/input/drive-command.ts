import type { DriveInput } from "../car/car-state.js";

/** An input device. */
export interface InputSource {
  /** Returns the player's input; undefined while the device is not used. */
  read(): DriveInput | undefined;
}

/** Combines the inputs of all devices. The strongest of each kind counts. */
export function combineInputs(sources: readonly InputSource[]): DriveInput {
  const combined: DriveInput = { steer: 0, throttle: 0, handbrake: false };
  for (const source of sources) {
    const input = source.read();
    if (input === undefined) continue;
    if (Math.abs(input.steer) > Math.abs(combined.steer)) combined.steer = input.steer;
    if (Math.abs(input.throttle) > Math.abs(combined.throttle)) combined.throttle = input.throttle;
    combined.handbrake ||= input.handbrake;
  }
  return combined;
}
