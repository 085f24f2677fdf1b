export { preloadRooms, RoomStage, roomStage, type RoomStageOptions } from "./room-stage.js";
export { StagePlayer, type StageJoin } from "./stage-player.js";
export { virtualWebRtc, type VirtualWebRtcOptions } from "./virtual-webrtc.js";
export { VirtualPage, type VirtualPageOptions } from "./virtual-page.js";
