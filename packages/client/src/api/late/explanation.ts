export * from "../room.js";
export { explainRoom } from "../../report/explanation.js";
