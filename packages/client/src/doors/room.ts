export { RoomJoin } from "../room/room-join.js";
