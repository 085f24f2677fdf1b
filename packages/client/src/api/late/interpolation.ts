export * from "./motion.js";
export { DelayedBody, InterpolationDelay } from "@paceline/netcode";
