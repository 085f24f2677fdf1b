import { DEFAULT_INTERPOLATION_DELAY, DelayedBody, InterpolationDelay } from "@paceline/netcode";

/** What shows entities between their states: fetched when the first entity is to be shown so. */
export const interpolation = { DEFAULT_INTERPOLATION_DELAY, DelayedBody, InterpolationDelay } as const;

export type Interpolation = typeof interpolation;
