export * from "./checksum.js";
export * from "./entity-rows.js";
export * from "./packet-entries.js";
export * from "./quantiser.js";
export * from "./snapshot-reader.js";
export * from "./snapshot-writer.js";
export * from "./state-plan.js";
