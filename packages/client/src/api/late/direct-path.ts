export * from "../room.js";
export { DirectPath } from "../../peers/direct-path.js";
