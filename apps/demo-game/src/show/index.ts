import "./show.css";

/** The page loads this module when a player opens the show, not before. */
export { ShowView } from "./show-view.js";
