export * from "../room.js";
export * from "./motion.js";
export { AuthoritativeMode } from "../../modes/authoritative/authoritative-mode.js";
