import type { Interpolation, ViewPlan } from "../plan/view-plan.js";

/** Fetched once for all rooms of a page: the code is the same. */
let fetched: Interpolation | undefined;

/** Interpolation, if it is there already. */
export function fetchedInterpolation(): Interpolation | undefined {
  return fetched;
}

/** Fetches interpolation; where that fails, entities go on being shown by dead reckoning and the next one tries again. */
export function fetchInterpolation(load: ViewPlan["loadInterpolation"], onFetched: () => void): void {
  load().then(
    (interpolation) => {
      fetched = interpolation;
      onFetched();
    },
    () => undefined,
  );
}
