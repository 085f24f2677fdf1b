export { AuthoritativeMode as Mode } from "../modes/authoritative/authoritative-mode.js";
