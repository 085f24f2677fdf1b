export { StripeFilter } from "@paceline/transport";
