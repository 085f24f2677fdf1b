import type { DriveInput } from "../car/car-state.js";

/** One device's wish; `undefined` fields mean that the device says nothing. */
export interface InputSource {
  read(): DriveInput | undefined;
}

/** Several devices at once: the strongest wish of each kind counts. */
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
