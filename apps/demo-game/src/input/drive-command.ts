import type { DriveInput } from "../car/car-state.js";

/** One input device. `read` returns undefined while the device is not in use. */
export interface InputSource {
  read(): DriveInput | undefined;
}

/** Combines several devices: for each control, the strongest input counts. */
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
