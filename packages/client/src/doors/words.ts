export { explainRoom } from "../report/explanation.js";
export { authorityWords, playersWords } from "../report/room-words.js";
