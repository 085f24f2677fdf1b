export * from "../room.js";
export { DEFAULT_INTERPOLATION_DELAY, DelayedBody, InterpolationDelay } from "@paceline/netcode";
