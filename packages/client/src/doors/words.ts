export { explainRoom } from "../report/explanation.js";
