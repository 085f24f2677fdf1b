import "./show.css";

/** Loaded when somebody asks for the show: the page itself does without. */
export { ShowView } from "./show-view.js";
