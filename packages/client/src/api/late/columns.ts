export * from "../room.js";
export { describeColumns, matchColumns } from "@paceline/protocol";
