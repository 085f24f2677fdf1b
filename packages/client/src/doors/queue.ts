export { beginQueueing } from "../room/queueing.js";
