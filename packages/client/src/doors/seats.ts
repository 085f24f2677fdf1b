export { requestRooms } from "../connection/room-list.js";
export { askServer, requestSeat } from "../connection/match-http.js";
