export * from "../room.js";
export { StripeFilter } from "@paceline/transport";
