export * from "../room.js";
export { describeNetwork, SimulatedLine } from "@paceline/transport/simulated";
