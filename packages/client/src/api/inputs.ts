export { defineInput } from "@paceline/protocol";
