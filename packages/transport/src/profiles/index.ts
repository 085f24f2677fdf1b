export * from "./bands.js";
export * from "./circumstances.js";
export * from "./decide.js";
export * from "./explain-plan.js";
export type * from "./plan.js";
export * from "./profile.js";
export * from "./profiles.js";
export * from "./tree.js";
