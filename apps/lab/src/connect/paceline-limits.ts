import type { RelayLimits } from "@paceline/relay";

/**
 * Limits without effect: all clients of a benchmark come from one address, which a real server would limit.
 */
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
