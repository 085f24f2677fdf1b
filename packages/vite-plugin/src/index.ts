export { paceline, type PacelineOptions } from "./paceline.js";
