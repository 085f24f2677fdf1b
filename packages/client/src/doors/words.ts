export { explainRoom } from "../room-transport/explanation.js";
