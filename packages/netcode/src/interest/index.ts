export { Interest } from "./interest.js";
