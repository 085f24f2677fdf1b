export * from "../room.js";
export { DelayedBody, InterpolationDelay } from "@paceline/netcode";
