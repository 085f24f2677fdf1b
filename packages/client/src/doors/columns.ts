export { describeColumns, matchColumns } from "@paceline/protocol";
