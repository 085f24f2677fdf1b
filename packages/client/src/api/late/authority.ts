export * from "../room.js";
export { AuthoritativeMode } from "../../modes/authoritative/authoritative-mode.js";
