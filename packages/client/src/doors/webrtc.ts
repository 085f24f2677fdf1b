export { DirectPath } from "../peers/direct-path.js";
