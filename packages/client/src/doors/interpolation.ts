export { DEFAULT_CONVERGENCE, DelayedBody, InterpolationDelay } from "@paceline/netcode";
