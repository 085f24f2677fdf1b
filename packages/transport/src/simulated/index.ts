// A subpath of the package: what only tests and the panel need is no part of a game's download.
export * from "./line-presets.js";
export * from "./network-presets.js";
export * from "./network.js";
export * from "./network-settings.js";
export * from "./network-simulator.js";
export { type Random, seededRandom } from "./random.js";
export * from "./simulated-line.js";
