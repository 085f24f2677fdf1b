export { DevGame, type DevGameOptions, type DevGameStatus } from "./dev-game.js";
export { OVERLAY_PATH, OVERLAY_SCRIPT } from "./overlay.js";
export { ownerOf } from "../server/port.js";
