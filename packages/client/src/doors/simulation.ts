export { describeNetwork, SimulatedLine } from "@paceline/transport/simulated";
