export { OwnStates } from "../modes/authoritative/own-states.js";
export { StateSender } from "../modes/mesh/state-sender.js";
