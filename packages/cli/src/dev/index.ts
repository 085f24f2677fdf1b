export { DevGame, type DevGameOptions, type DevGameStatus } from "./dev-game.js";
export { ownerOf } from "../server/port.js";
