// A subpath of the package, so that a game does not download code for tests and the panel.
export * from "./line-presets.js";
export * from "./network-settings.js";
export * from "./network-simulator.js";
export * from "./network.js";
export { type Random, seededRandom } from "./random.js";
export { SimulatedLine } from "./simulated-line.js";
