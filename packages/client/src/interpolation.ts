/** What shows entities between their states: fetched when the first entity is to be shown so. */
export { DEFAULT_INTERPOLATION_DELAY, DelayedBody, InterpolationDelay } from "@paceline/netcode";
