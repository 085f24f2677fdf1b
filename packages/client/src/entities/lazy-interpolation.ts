import type { Interpolation, ViewPlan } from "../plan/view-plan.js";

let fetched: Interpolation | undefined;

/** Returns the interpolation code if it has been fetched. */
export function fetchedInterpolation(): Interpolation | undefined {
  return fetched;
}

/** Fetches the interpolation code. If that fails, dead reckoning goes on, and the next entity tries again. */
export function fetchInterpolation(load: ViewPlan["loadInterpolation"], onFetched: () => void): void {
  load().then(
    (interpolation) => {
      fetched = interpolation;
      onFetched();
    },
    () => undefined,
  );
}
