export * from "../room.js";
export { ReferenceCycle } from "@paceline/netcode";
export { ReferenceSender } from "@paceline/protocol";
