export { type NetworkCounters, NetworkSimulator, type NetworkSimulatorOptions } from "./network-simulator.js";
export { type NetworkPreset, type NetworkPresetName, networkPresets } from "./network-presets.js";
export {
  type LossModel,
  type NetworkSettings,
  networkSettings,
  PERFECT_NETWORK,
} from "./network-settings.js";
export { type DrawnState, definitionArbitrary, stateArbitrary, walkArbitrary } from "./state-arbitrary.js";
export { type Random, seededRandom } from "./random.js";
export {
  type SimulatedEnd,
  type SimulatedPair,
  type SimulatedPairOptions,
  simulatedPair,
} from "./simulated-pair.js";
export { VirtualScheduler, type VirtualSchedulerOptions } from "./virtual-scheduler.js";
export { type ContractCase, linkContract, type LinkPair } from "./contract/link-contract.js";
export { type MemoryLinkPair, type MemoryLinkPairOptions, memoryLinkPair } from "./memory-link-pair.js";
