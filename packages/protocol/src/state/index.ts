// No names here: esbuild puts every file of a list that names an export into the chunk that imports it, so that
// players would download what only rooms with an authority need.
export * from "./codec/packet-entries.js";
export * from "./columns/entity-rows.js";
export * from "./columns/quantiser.js";
export * from "./read/snapshot-reader.js";
export * from "./send/snapshot-writer.js";
export * from "./columns/state-plan.js";
export * from "./send/reference-sender.js";
export * from "./send/whole-sender.js";
export * from "./send/shared-writer.js";
export * from "./send/shared-snapshot-sender.js";
export * from "./send/snapshot-sender.js";
export * from "./columns/state-history.js";
export * from "./columns/state-size.js";
export * from "./codec/state-codec.js";
export * from "./codec/bit-coder.js";
export * from "./codec/prefix-tables.js";
export * from "./columns/stream-columns.js";
export * from "./whole-state.js";
