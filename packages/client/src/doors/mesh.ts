export { MeshMode as Mode } from "../modes/mesh/mesh-mode.js";
