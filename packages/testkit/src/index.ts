export {
  type LinePreset,
  linePresets,
  type LossModel,
  type NetworkCounters,
  type NetworkSettings,
  networkSettings,
  NetworkSimulator,
  type NetworkSimulatorOptions,
  PERFECT_NETWORK,
  type Random,
  seededRandom,
} from "@paceline/transport/simulated";
export { type DrawnState, definitionArbitrary, stateArbitrary, walkArbitrary } from "./state-arbitrary.js";
export {
  type SimulatedEnd,
  type SimulatedPair,
  type SimulatedPairOptions,
  simulatedPair,
} from "./simulated-pair.js";
export { VirtualScheduler, type VirtualSchedulerOptions } from "./virtual-scheduler.js";
export { type ContractCase, linkContract, type LinkPair, outboxOver } from "./contract/link-contract.js";
export {
  type RawSaves,
  type StoreCase,
  storeContract,
  type StoreSubject,
} from "./contract/store-contract.js";
export { MemoryLink, type Pipe } from "./memory-link.js";
export { type MemoryLinkPair, type MemoryLinkPairOptions, memoryLinkPair } from "./memory-link-pair.js";
export { type VirtualSocket, type VirtualSocketPair, virtualSocketPair } from "./virtual-socket.js";
