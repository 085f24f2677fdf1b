export { Interest, type EntityInterest } from "./interest.js";
export type { InterestFault } from "./interest-faults.js";
export { interestPlan, type InterestOptions, type Rectangle } from "./interest-options.js";
export { placeColumnsOf, type GroundAxes, type PlaceColumns } from "./place-columns.js";
export type { PrivateList } from "./private-list.js";
export { NOWHERE, SquareGrid } from "./square-grid.js";
export { UNSEEN, ViewWindow, windowGeometry } from "./view-window.js";
export type { Viewer } from "./viewer.js";
