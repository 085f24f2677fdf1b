export { CellPackets } from "../modes/cells/cell-packets.js";
export { RoomCells } from "../modes/cells/room-cells.js";
