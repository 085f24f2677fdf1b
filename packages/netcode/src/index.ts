export * from "./angle.js";
export * from "./dead-reckoning.js";
export * from "./entity-table.js";
export * from "./entity-view.js";
export * from "./remote-motion.js";
export * from "./replication.js";
export * from "./tick-clock.js";
