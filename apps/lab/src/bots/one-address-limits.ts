/** Limits of a server whose players all come from one address, at the same time. */
export const ONE_ADDRESS_LIMITS = {
  matchesPerSecondPerAddress: 10_000,
  matchBurstPerAddress: 100_000,
  linksPerSecondPerAddress: 10_000,
  linkBurstPerAddress: 100_000,
  roomsPerMinutePerAddress: 100_000,
  roomBurstPerAddress: 100_000,
  joinsPerSecondPerRoom: 10_000,
  joinBurstPerRoom: 100_000,
  // The news of each join and leave, to everybody in a large room.
  forwardsPerSecondPerRoom: 100_000_000,
};
