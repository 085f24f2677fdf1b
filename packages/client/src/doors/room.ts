export { requestRooms } from "../connection/room-list.js";
export { RoomJoin } from "../room/room-join.js";
