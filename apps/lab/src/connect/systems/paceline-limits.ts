import type { RelayLimits } from "@paceline/relay";

/** Limits too high to have an effect: a benchmark's clients all come from one address. */
export const openLimits: Partial<RelayLimits> = {
  matchesPerSecondPerAddress: 10_000,
  matchBurstPerAddress: 100_000,
  linksPerSecondPerAddress: 10_000,
  linkBurstPerAddress: 100_000,
  joinsPerSecondPerRoom: 10_000,
  joinBurstPerRoom: 100_000,
  roomsPerMinutePerAddress: 100_000,
  roomBurstPerAddress: 100_000,
};
